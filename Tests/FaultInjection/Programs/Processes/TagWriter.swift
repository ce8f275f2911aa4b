import Annals
import AnnalsTestSupport

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Appends events with random tags under random conditions until it is killed.
///
/// Each call is noted before it is made and after its answer. If an earlier life was killed during a call,
/// this one makes it again, with the same ids and the same condition.
struct TagWriter {
  private let number: Int
  private let journal: Journal
  private let log: EventLog
  private var random: SeededGenerator

  init(_ number: Int, store path: String, journal: String, seed: UInt64) throws {
    self.number = number
    self.journal = try Journal(path: journal)
    log = try EventLog(at: URL(fileURLWithPath: path), options: StoreOptions(creation: .never))
    random = SeededGenerator(seed: seed)
  }

  /// Repeats the call that an earlier life was killed in, then makes `count` calls of its own.
  mutating func run(after past: [[String]], count: Int) async throws {
    let (next, open) = Self.resume(number, after: past)
    if let open { try await make(open) }
    for number in next..<next + count {
      if !FaultProgram.hasParent { return }
      let call = try call(number)
      try await make(call)
    }
  }

  /// The number of the call after `past`, and the unanswered call in it.
  private static func resume(_ writer: Int, after past: [[String]]) -> (next: Int, open: TaggedCall?) {
    guard let words = past.last(where: { $0.count > 2 }), let number = Int(words[1]) else { return (0, nil) }
    return (number + 1, words[0] == "begin" ? TaggedCall(writer: writer, number: number, words[2]) : nil)
  }

  private func make(_ call: TaggedCall) async throws {
    try journal.note("begin", "\(call.number)", call.text)
    do {
      let done = try await log.append(
        try call.entries(), to: StreamName(call.stream), expecting: call.expectation, unless: call.query,
        after: call.after.map { Position($0) })
      try journal.note(
        "done", "\(call.number)", done.wasRepeated ? "again" : "new",
        done.positions.map { "\($0)" }.joined(separator: " "))
    } catch let error as AnnalsError {
      guard error.code == .conflict else {
        try journal.note("failed", "\(call.number)", "\(error.code)", error.message)
        throw error
      }
      let match = error.details.violations.isEmpty ? error.details.position : nil
      try journal.note("conflict", "\(call.number)", match.map { "\($0)" } ?? "stream")
    }
  }

  /// The next call, decided in a snapshot that others append after.
  private mutating func call(_ number: Int) throws -> TaggedCall {
    let stream = "shared\(Int.random(in: 0..<3, using: &random))"
    let (head, revision) = try log.read { (snapshot) throws(AnnalsError) in
      (try snapshot.head()?.rawValue ?? 0, try snapshot.revision(of: StreamName(stream)))
    }
    let after: UInt64? =
      switch Int.random(in: 0..<8, using: &random) {
      case 0: nil
      case 1: UInt64.random(in: 0...head, using: &random)
      default: head
      }
    let expectation: Expectation =
      switch Int.random(in: 0..<6, using: &random) {
      case 0: revision.map { .revision($0) } ?? .noStream
      case 1: revision == nil ? .noStream : .exists
      default: .any
      }
    if Bool.random(using: &random) { usleep(UInt32.random(in: 0...2_000, using: &random)) }
    return TaggedCall(
      writer: self.number, number: number, stream: stream, expectation: expectation,
      query: TagChoice.query(using: &random), after: after,
      events: (0..<Int.random(in: 1...3, using: &random)).map { _ in TagChoice.event(using: &random) })
  }
}
