import FaultPrograms
import Foundation
import Testing

@testable import Annals

/// Processes that attach contents, erase and remove unused ones, killed at random moments.
@Suite(.serialized) struct AttachmentKillTests {
  private static let perRound = 10
  private static let rounds = RunLength.seeds(
    RunLength.count("ANNALS_ATTACHMENT_KILLS", usual: 30), perRound: perRound)

  /// Several processes attach the same contents at the same moments.
  @Test(arguments: rounds, [1, 2])
  func `after a kill, no event lacks a content, and what is left over is removed`(
    seed: UInt64, processes: Int
  ) async throws {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let journal = place.path("journal")
    var random = SeededGenerator(seed: seed)
    var unfinished = 0
    for kill in 0..<Self.perRound {
      let children = try (0..<processes).map { _ in
        try Child.run(
          "attach", place.url.path, journal, "\(seed &* 1_000 &+ UInt64(kill))", "\(processes == 1)")
      }
      for child in children { #expect(child.speaks()) }
      for child in children {
        usleep(UInt32.random(in: 1_000...120_000, using: &random))
        #expect(try child.kill() == .signal(SIGKILL), "\(child.text())")
      }
      unfinished += try names(in: place.url).filter { $0.hasSuffix(".tmp") }.count
      let appended = try Journal.lines(path: journal).compactMap { $0.count == 2 ? UInt64($0[1]) : nil }
      guard FileManager.default.fileExists(atPath: place.url.path) else {
        #expect(appended.isEmpty)
        continue
      }
      // It reads every content.
      let report = try EventLog.verify(place.url)
      #expect(report.isClean, "seed \(seed), kill \(kill): \(report.findings)")
      let last = try EventLog(at: place.url).read { try $0.head()?.rawValue ?? 0 }
      #expect(appended.allSatisfy { $0 <= last }, "seed \(seed), kill \(kill)")
    }
    print("attachments, seed \(seed): \(unfinished) unfinished files")
    try await clear(place.url)
  }

  /// Removes everything unused, and compares the rest with the events.
  private func clear(_ url: URL) async throws {
    let log = try EventLog(at: url)
    var options = MigrationOptions()
    options.attachmentGrace = .zero
    for _ in 0..<2 {
      _ = try EventLog.discardPrevious(url)
      _ = try await log.compact(options).report()
    }
    let used = try log.read { snapshot in
      var used: Set<String> = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() { used.formUnion(entry.attachments.map(\.description)) }
      return used
    }
    #expect(try Set(names(in: url)) == used)
    #expect(try EventLog.verify(url).isClean)
  }

  private func names(in store: URL) throws -> [String] {
    let path = store.appendingPathComponent("blobs").path
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "blobs.lock" }
  }
}
