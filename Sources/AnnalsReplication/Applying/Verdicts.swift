internal import AnnalsCoding
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The verdicts on the calls of some messages, by commit. Each is made when it is asked for: of a backlog,
/// hardly any is.
struct Verdicts: RandomAccessCollection, Sendable {
  private var ids: [UUID] = []
  private var answers: [SequencedAnswers] = []
  /// The number of commits before each list of answers.
  private var starts: [Int] = []

  var startIndex: Int { 0 }
  var endIndex: Int { ids.count }

  subscript(index: Int) -> (id: UUID, verdict: Result<Appended, AnnalsError>) {
    let list = (starts.firstIndex { $0 > index } ?? starts.count) - 1
    return (ids[index], answers[list][index - starts[list]])
  }

  /// Adds the verdicts on commits.
  mutating func append(_ ids: [UUID], _ verdicts: SequencedAnswers) {
    guard !ids.isEmpty else { return }
    starts.append(self.ids.count)
    self.ids += ids
    answers.append(verdicts)
  }

  /// Adds the verdict on a commit.
  mutating func append(_ id: UUID, _ verdict: Result<Appended, AnnalsError>) {
    var answers = SequencedAnswers()
    answers.append(verdict)
    append([id], answers)
  }

  /// Returns the calls for which `call` has a value, with their verdicts.
  func answered<Call>(_ call: (UUID) -> Call?) -> [(Call, Result<Appended, AnnalsError>)] {
    ids.indices.compactMap { index in call(ids[index]).map { ($0, self[index].verdict) } }
  }
}
