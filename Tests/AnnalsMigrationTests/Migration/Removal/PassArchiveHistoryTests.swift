import Foundation
import Testing

@testable import Annals
@testable import AnnalsMigration
@testable import AnnalsStore

/// Archives of passes over generated logs, interrupted at random places, while a writer goes on.
@Suite struct PassArchiveHistoryTests {
  @Test func `an archive has one line for each entry that loses something, however the pass was interrupted`()
    async throws
  {
    let seed = UInt64.random(in: .min ... .max)
    print("archives: seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    var (interrupted, lines) = (0, 0)
    var round = 0
    // Some seeds interrupt little in twelve rounds.
    while round < 12 || (interrupted <= 5 && round < 200) {
      defer { round += 1 }
      let place = try TemporaryStore()
      let writer = try EventStore(at: place.url, plan: FirstHouses.self)
      let isEarly = Bool.random(using: &generator)
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let count = Int.random(in: 1...60, using: &generator)
        let events = (0..<count).map { _ in HousesV1.Event.random(using: &generator) }
        try await writer.append(events, to: StreamName("s\(count % 5)"))
      }
      let oracle = try HouseOracle(place.dump())
      if isEarly {
        // Entries of two versions: what the first pass removed is not in the second archive.
        var first = MigrationOptions()
        first.archive = place.archiveURL("early")
        _ = try await EventStore(at: place.url, plan: SecondHouses.self).migrate(first).report()
        let early = try place.archive("early")
        #expect(early.count == oracle.lines.count, "seed \(seed), round \(round)")
        let wanted = oracle.fields.filter { $0[1] == "2.0.0" }.map { $0[0] }
        var paths: Set<String> = []
        for line in early {
          for removed in line["removed"] as? [[String: Any]] ?? [] {
            let path = removed["path"] as? [String] ?? []
            paths.insert((["Built"] + path).joined(separator: "."))
          }
        }
        #expect(paths == Set(wanted), "seed \(seed), round \(round)")
        continue
      }
      let store = try EventStore(at: place.url, plan: Houses.self)
      var report: MigrationReport?
      while report == nil {
        var options = MigrationOptions()
        options.archive = place.archiveURL()
        options.batch = Int.random(in: 1...40, using: &generator)
        options.durableBatch = options.batch
        options.threads = Int.random(in: 1...2, using: &generator)
        let end = Int.random(in: 1...12, using: &generator)
        let stopping = Stopping()
        let counter = Counter()
        options.atPoint = { _ in if counter.next() == end { stopping.stop() } }
        let run = try store.migrate(options)
        stopping.put(run)
        do { report = try await run.report() } catch {
          #expect(error.code == .cancelled, "seed \(seed), round \(round): \(error)")
          interrupted += 1
          // Small steps could stop it forever.
          if Int.random(in: 0..<6, using: &generator) == 0 {
            options.atPoint = nil
            report = try await store.migrate(options).report()
          }
        }
      }
      let archive = try place.archive()
      lines += archive.count
      #expect(try place.archiveLines() == oracle.lines, "seed \(seed), round \(round)")
      #expect(report?.houseFields == oracle.fields, "seed \(seed), round \(round)")
      var dropped: UInt64 = 0
      for line in archive { dropped += UInt64((line["dropped"] as? [String])?.count ?? 0) }
      var counted: UInt64 = 0
      for drop in report?.dropped ?? [] { counted += drop.count }
      #expect(counted == dropped, "seed \(seed), round \(round)")
    }
    #expect(interrupted > 5 && lines > 0, "seed \(seed)")
  }
}
