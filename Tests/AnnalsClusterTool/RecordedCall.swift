import Foundation

/// What a writer knows of one of its calls: a line of the output of this program.
struct RecordedCall: Equatable, Sendable {
  enum Outcome: String, Sendable {
    /// The events are stored at `positions`.
    case stored
    /// Nothing is stored.
    case refused
    /// No verdict came in time.
    case unknown
    /// The answer contradicts another one.
    case broken
  }

  var outcome: Outcome
  /// When the call began and ended, in nanoseconds of this machine's monotonic clock.
  var start: UInt64
  var end: UInt64
  /// The marks of the events; no two events of a history have one.
  var marks: [Int]
  /// Where they are stored.
  var positions: [UInt64] = []
  /// The revision that the call expected and the one that its first event got.
  var expected: UInt64?
  var found: UInt64?

  /// The call as a line without its end.
  var line: String {
    func list(_ numbers: [some BinaryInteger]) -> String {
      numbers.isEmpty ? "-" : numbers.map { "\($0)" }.joined(separator: ",")
    }
    return [
      outcome.rawValue, "\(start)", "\(end)", list(marks), list(positions), expected.map { "\($0)" } ?? "-",
      found.map { "\($0)" } ?? "-",
    ].joined(separator: " ")
  }

  init(
    _ outcome: Outcome, _ start: UInt64, _ end: UInt64, marks: [Int], positions: [UInt64] = [],
    expected: UInt64? = nil, found: UInt64? = nil
  ) {
    self.outcome = outcome
    self.start = start
    self.end = end
    self.marks = marks
    self.positions = positions
    self.expected = expected
    self.found = found
  }

  /// Reads a line; `nil` for one that a kill has cut.
  init?(_ line: some StringProtocol) {
    let words = line.split(separator: " ")
    guard words.count == 7, let outcome = Outcome(rawValue: String(words[0])), let start = UInt64(words[1]),
      let end = UInt64(words[2])
    else { return nil }
    func list(_ word: some StringProtocol) -> [Substring] {
      word == "-" ? [] : word.split(separator: ",").map { Substring($0) }
    }
    self.init(
      outcome, start, end, marks: list(words[3]).compactMap { Int($0) },
      positions: list(words[4]).compactMap { UInt64($0) }, expected: UInt64(words[5]), found: UInt64(words[6])
    )
  }
}
