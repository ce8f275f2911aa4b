package import AnnalsCoding

/// The verdicts on the calls of a batch, in order.
///
/// A call that was stored is two numbers here: lists of its positions and revisions are made on demand, and
/// mostly nobody asks.
package struct SequencedAnswers: RandomAccessCollection, Sendable {
  /// A verdict.
  package enum Answer: Sendable {
    /// The events are stored from a position on; their revisions are a range of ``revisions``.
    case stored(first: Position, Range<Int>)
    /// Any other verdict, or one with positions of its own.
    case other(Result<Appended, AnnalsError>)
  }

  /// The verdicts.
  package private(set) var answers: [Answer] = []
  /// The revisions of the events of stored calls.
  package private(set) var revisions: [Revision] = []

  package init() {}

  package var startIndex: Int { 0 }
  package var endIndex: Int { answers.count }

  package subscript(index: Int) -> Result<Appended, AnnalsError> {
    switch answers[index] {
    case .other(let result): return result
    case .stored(let first, let range):
      let positions = (0..<UInt64(range.count)).map { Position(first.rawValue + $0) }
      return .success(
        Appended(positions: positions, revisions: Array(revisions[range]), wasRepeated: false))
    }
  }

  /// Reserves memory for so many calls of one event.
  package mutating func reserveCapacity(_ calls: Int) {
    answers.reserveCapacity(calls)
    revisions.reserveCapacity(calls)
  }

  /// Adds a verdict.
  package mutating func append(_ result: Result<Appended, AnnalsError>) { answers.append(.other(result)) }

  /// Adds the revisions of calls whose verdicts are added next.
  mutating func append(_ revisions: [Revision]) { self.revisions += revisions }

  /// Adds the verdict on a call that is stored, with revisions that are there already.
  mutating func append(storedFrom first: Position, _ revisions: Range<Int>) {
    answers.append(.stored(first: first, revisions))
  }
}
