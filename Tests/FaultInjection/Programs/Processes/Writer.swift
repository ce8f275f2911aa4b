import Annals
import AnnalsTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Appends to shared and own streams, with and without expectations, until it is killed.
///
/// Each call is noted before it is made and after it was answered. If an earlier life of the writer was
/// killed during a call, this one makes the call again, with the same ids.
struct Writer {
  private let number: Int
  private let journal: Journal
  private let log: EventLog
  private var random: SeededGenerator

  /// The writer `number` of the store at `path`.
  init(_ number: Int, store path: String, journal: String, seed: UInt64, options: StoreOptions) throws {
    self.number = number
    self.journal = try Journal(path: journal)
    log = try EventLog(at: URL(fileURLWithPath: path), options: options)
    random = SeededGenerator(seed: seed)
  }

  /// The number of the call after `past`, and the unanswered call in it.
  static func resume(_ number: Int, after past: [[String]]) -> (next: Int, open: WriterCall?) {
    var next = 0
    var open: WriterCall?
    for words in past {
      switch words[0] {
      case "begin":
        next = (Int(words[1]) ?? 0) + 1
        open = WriterCall(
          writer: number, number: next - 1, parts: words.dropFirst(3).compactMap { WriterCall.Part($0) })
      default: open = nil
      }
    }
    return (next, open)
  }

  /// Repeats the call that an earlier life was killed in, then makes `count` calls of its own.
  mutating func run(after past: [[String]], count: Int) async throws {
    let (next, open) = Self.resume(number, after: past)
    if let open { try await make(open) }
    for call in next..<next + count where FaultProgram.hasParent { try await make(call) }
  }

  /// Makes the call of this number.
  mutating func make(_ call: Int) async throws {
    try await make(WriterCall(writer: number, number: call, parts: try parts()))
  }

  /// The position of the log's last entry.
  func head() throws -> UInt64 {
    try log.read { (snapshot) throws(AnnalsError) in try snapshot.head()?.rawValue ?? 0 }
  }

  private mutating func make(_ call: WriterCall) async throws {
    let entries = try call.entries()
    try journal.note(
      "begin", "\(call.number)", "\(Journal.now)", call.parts.map(\.text).joined(separator: " "))
    do {
      let done = try await log.append { appending in
        for (part, events) in zip(call.parts, entries) {
          appending.append(events, to: StreamName(part.stream), expecting: part.expectation)
        }
      }
      try journal.note(
        "done", "\(call.number)", "\(Journal.now)", done.wasRepeated ? "again" : "new",
        zip(done.positions, done.revisions).map { "\($0):\($1)" }.joined(separator: " "))
    } catch let error as AnnalsError {
      let now = Journal.now
      guard error.code == .conflict else {
        try journal.note("failed", "\(call.number)", "\(now)", error.code.description, error.message)
        throw error
      }
      let found = error.details.violations.map { "\($0.stream):\($0.actual.map(\.description) ?? "-")" }
      try journal.note("conflict", "\(call.number)", "\(now)", found.joined(separator: " "))
    }
  }

  /// The streams and events of the next call.
  private mutating func parts() throws -> [WriterCall.Part] {
    var streams: Set<String> = []
    let count = Int.random(in: 0..<5, using: &random) == 0 ? 2 : 1
    while streams.count < count {
      let choice = Int.random(in: 0..<6, using: &random)
      streams.insert(
        choice < 4 ? "shared\(choice)" : choice == 4 ? "own\(number)" : "new\(number).\(random.next() % 50)")
    }
    return try streams.sorted().map { stream in
      WriterCall.Part(stream, count: Int.random(in: 1...4, using: &random), try expectation(of: stream))
    }
  }

  /// The expectation for a stream: often its current state, sometimes an earlier one, which must fail.
  private mutating func expectation(of stream: String) throws -> Expectation {
    let choice = Int.random(in: 0..<10, using: &random)
    if choice < 3 { return .any }
    let head = try log.read { (snapshot) throws(AnnalsError) in
      try snapshot.revision(of: StreamName(stream))
    }
    guard let head else { return .noStream }
    switch choice {
    case 3: return .exists
    case 4 where head.rawValue > 0: return .revision(Revision(head.rawValue - 1))
    case 5: return .noStream
    default: return .revision(head)
    }
  }
}
