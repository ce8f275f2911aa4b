import AnnalsTestSupport
internal import Annals

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A program that attaches contents, appends events with them, erases and compacts until it is killed, and
/// notes each acknowledged append.
package struct AttachingProgram {
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

  /// - Parameter isAlone: Whether no other process writes to the store. The passes of another one remove
  ///   contents before their events are appended, because they do not wait.
  package mutating func run(isAlone: Bool) async throws {
    while true {
      do { try await step() } catch let error as AnnalsError
        where !isAlone && [.busy, .missingAttachment].contains(error.code)
      {}
    }
  }

  private mutating func step() async throws {
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<14:
      // Few different contents, so that some are attached again while they are removed.
      let contents = (0..<Int.random(in: 1...3, using: &random)).map { _ in
        UInt8.random(in: 0..<12, using: &random)
      }
      let attachments = try contents.map { number in
        try log.attach(Data(repeating: number, count: 5_000 + 40_000 * Int(number % 3)))
      }
      let event = NewEntry(
        type: "Taken", version: nil, payload: try Payload(.map([])), attachments: attachments)
      let positions = try await log.append([event], to: "album").positions
      try journal.note("done", "\(positions[0])")
    case 14..<16:
      _ = try log.attach(Data(repeating: UInt8.random(in: 12..<50, using: &random), count: 30_000))
    case 16..<18:
      guard let last = try log.read({ try $0.head() })?.rawValue else { return }
      let position = Position(UInt64.random(in: 1...last, using: &random))
      try log.erase([position], by: "test", because: "kill")
    default:
      var options = MigrationOptions()
      options.attachmentGrace = .zero
      _ = try await log.compact(options).report()
      _ = try EventLog.discardPrevious(url)
    }
  }
}
