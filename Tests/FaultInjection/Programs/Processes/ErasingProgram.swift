import AnnalsTestSupport
package import Annals

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A program that appends, closes, reopens, truncates, erases and compacts until it is killed, and notes each
/// call that it begins, and each that was acknowledged.
package struct ErasingProgram {
  /// The streams that it uses.
  package static let streams = (0..<4).map { StreamName("customer-\($0)") }

  private let url: URL
  private let log: EventLog
  private let journal: Journal
  private var random: SeededGenerator

  package init(_ url: URL, journal: String, seed: UInt64) throws {
    self.url = url
    log = try EventLog(at: url)
    self.journal = try Journal(path: journal)
    random = SeededGenerator(seed: seed)
  }

  package mutating func run() async throws {
    while true { try await step() }
  }

  private mutating func step() async throws {
    let stream = Self.streams.randomElement(using: &random) ?? "customer-0"
    let name = stream.text
    switch Int.random(in: 0..<40, using: &random) {
    case 0..<24:
      let payload = try Payload(.map([CBOR.Pair(.text("t"), .text("x"))]))
      let count = Int.random(in: 1...6, using: &random)
      let events = (0..<count).map { number in
        NewEntry(type: "Noted", version: nil, payload: payload, id: number == 0 ? UUID() : nil)
      }
      try await attempt("append", name) {
        try await log.append(events, to: stream).positions.map { "\($0)" }
      }
    case 24..<27: try await attempt("close", name) { [try await log.close(stream)].map { "\($0 ?? 0)" } }
    case 27..<32: try await attempt("reopen", name) { [try await log.reopen(stream)].map { "\($0 ?? 0)" } }
    case 32..<34:
      let state = try log.read { try $0.state(of: stream) }
      guard let state else { return }
      let oldest = UInt64.random(in: 0...state.revision.rawValue + 1, using: &random)
      try await attempt("truncate", name) {
        _ = try await log.truncate(stream, before: Revision(oldest))
        return ["\(oldest)"]
      }
    case 34..<38:
      guard let last = try log.read({ try $0.head() })?.rawValue else { return }
      let first = UInt64.random(in: 1...last, using: &random)
      let positions = (first...min(last, first + UInt64.random(in: 0...5, using: &random))).map {
        Position($0)
      }
      try await attempt("erase", name) {
        try log.erase(positions, by: "test", because: "kill")
        return positions.map { "\($0)" }
      }
    default:
      try await attempt("compact", name) {
        _ = try await log.compact().report()
        _ = try EventLog.discardPrevious(url)
        return []
      }
    }
  }

  /// Notes a call before and after it. A refusal is noted, too.
  private func attempt(_ verb: String, _ stream: String, _ body: () async throws -> [String]) async throws {
    try journal.note("begin", verb, stream)
    do {
      try journal.note(["done", verb, stream] + (try await body()))
    } catch let error as AnnalsError {
      guard [.streamClosed, .noSuchStream, .busy].contains(error.code) else { throw error }
      try journal.note("refused", verb, stream, "\(error.code)")
    }
  }
}

extension Journal {
  fileprivate func note(_ words: [String]) throws { try note(words.joined(separator: " ")) }
}
