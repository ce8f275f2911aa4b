import Foundation

/// What a writer knows of one of its calls: a line of JSON in the output of this program.
struct RecordedCall: Codable, Equatable, Sendable {
  enum Outcome: String, Codable, Sendable {
    /// The events are stored where the parts say.
    case stored
    /// Nothing is stored.
    case refused
    /// No verdict came in time.
    case unknown
    /// The answer contradicts another one.
    case broken
  }

  /// The events of a call in one stream.
  struct Part: Codable, Equatable, Sendable {
    var stream: String
    /// The revision that the call expected, -1 for a stream without events; `nil` for any.
    var expected: Int?
    /// The marks of the events; no two events of a history have one.
    var marks: [Int]
    /// Where they are stored.
    var positions: [UInt64] = []
    var revisions: [UInt64] = []
  }

  var outcome: Outcome
  /// When the call began and ended, in nanoseconds of this machine's monotonic clock.
  var start: UInt64
  var end: UInt64
  var parts: [Part]
  /// The room that the call books.
  var room: String?

  init(_ outcome: Outcome, _ start: UInt64, _ end: UInt64, _ parts: [Part], room: String? = nil) {
    self.outcome = outcome
    self.start = start
    self.end = end
    self.parts = parts
    self.room = room
  }

  var marks: [Int] { parts.flatMap(\.marks) }
  var positions: [UInt64] { parts.flatMap(\.positions) }

  /// Notes the answer to the call.
  mutating func store(_ positions: [UInt64], _ revisions: [UInt64]) {
    outcome = .stored
    var next = 0
    for index in parts.indices {
      let range = next..<min(next + parts[index].marks.count, positions.count, revisions.count)
      parts[index].positions = Array(positions[range])
      parts[index].revisions = Array(revisions[range])
      next = range.upperBound
    }
  }

  /// The call as a line without its end.
  var line: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Texts and numbers can always be encoded.
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }

  /// Reads a line; `nil` for one that a kill has cut.
  init?(_ line: some StringProtocol) {
    guard let call = try? JSONDecoder().decode(RecordedCall.self, from: Data(line.utf8)) else { return nil }
    self = call
  }
}
