import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMigration

/// Negative amounts cannot be read, small ones are dropped, and large ones become two.
private enum SplittingLedger: SchemaMigrationPlan {
  static var stages: MigrationChain<LedgerV1, LedgerV2> {
    MigrationStage.custom(fromVersion: LedgerV1.self, toVersion: LedgerV2.self) {
      Split(\.moved, into: [\.moved], emptyBecause: "too small to keep") { old, _ in
        guard old.amount >= 0 else { throw Overdrawn() }
        return events(old.amount)
      }
    }
  }

  /// The events that an amount becomes.
  static func events(_ amount: Int) -> [LedgerV2.Event] {
    let half = LedgerV2.Event.moved(.init(amount: amount / 2, currency: "EUR"))
    return amount < 10 ? [] : amount < 100 ? [.moved(.init(amount: amount, currency: "EUR"))] : [half, half]
  }
}

/// Random erasures and truncations before and after passes with a plan, against a model in memory.
@Suite struct ErasurePropertyTests {
  private struct Stored {
    var stream: StreamName
    var revision: UInt64
    var amount: Int
    var isErased = false
    /// Whether a pass has turned the hidden event into a stub.
    var isGone = false
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `typed reads give what a model says, and the store is sound after each step`(
    seed: UInt64
  ) async throws {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    var random = SeededGenerator(seed: seed)
    var stored: [UInt64: Stored] = [:]
    var heads: [StreamName: UInt64] = [:]
    var oldest: [StreamName: UInt64] = [:]
    var options = StoreOptions()
    options.mergeInterval = HeadMerge.Interval(entries: 16)
    options.idempotency = seed % 2 == 0 ? .always : .window(8)
    options.unreadable = .quarantine { _ in }
    for round in 0..<6 {
      do {
        let log = try EventLog(at: place.url, options: options)
        // Before the first pass events are of version 1, later of version 2 as well.
        for _ in 0..<20 {
          let stream = StreamName("ledger-\(Int.random(in: 0..<4, using: &random))")
          let amounts = (0..<Int.random(in: 1...3, using: &random)).map { _ in
            Int.random(in: -3...150, using: &random)
          }
          let places: [Position]
          if round < 2 {
            let store = try EventStore(at: place.url, plan: FirstLedger.self, options: options)
            places = try await store.append(
              amounts.map { amount in
                NewEvent(.moved(.init(amount: amount)), id: amount % 3 == 0 ? UUID() : nil)
              }, to: stream
            ).positions
          } else {
            places = []
          }
          for (position, amount) in zip(places, amounts) {
            let revision = heads[stream].map { $0 + 1 } ?? 0
            heads[stream] = revision
            stored[position.rawValue] = Stored(stream: stream, revision: revision, amount: amount)
          }
        }
        let all = stored.keys.sorted()
        for _ in 0..<3 {
          let positions = (0..<4).compactMap { _ in all.randomElement(using: &random) }
          try log.erase(positions.map { Position($0) }, by: "test", because: "seed \(seed)")
          for position in positions { stored[position]?.isErased = true }
        }
        if let (stream, head) = heads.randomElement(using: &random) {
          let revision = UInt64.random(in: 0...head, using: &random)
          try await log.truncate(stream, before: Revision(revision))
          oldest[stream] = max(oldest[stream] ?? 0, revision)
        }
      }
      #expect(try EventLog.verify(place.url).isClean, "seed \(seed), round \(round)")
      if round > 0 {
        let store = try EventStore(at: place.url, plan: SplittingLedger.self, options: options)
        var pass = MigrationOptions()
        pass.unreadable = .quarantine
        let report = try await round % 2 == 1 ? store.migrate(pass).report() : store.log.compact().report()
        // A pass with a plan is not run if all events are of its version.
        for position in stored.keys where report.isDone {
          guard let entry = stored[position] else { continue }
          if entry.revision < oldest[entry.stream] ?? 0 { stored[position]?.isGone = true }
        }
        #expect(try EventLog.verify(place.url).isClean, "seed \(seed), round \(round)")
        try compare(store, stored, oldest, "seed \(seed), round \(round)")
      }
    }
  }

  private func compare(
    _ store: EventStore<SplittingLedger>, _ stored: [UInt64: Stored], _ oldest: [StreamName: UInt64],
    _ at: Comment
  ) throws {
    func expected(_ isHidden: (Stored) -> Bool) -> [LedgerV2.Event] {
      stored.keys.sorted().flatMap { position -> [LedgerV2.Event] in
        guard let entry = stored[position], !entry.isErased, !entry.isGone, !isHidden(entry),
          entry.amount >= 0
        else { return [] }
        return SplittingLedger.events(entry.amount)
      }
    }
    let (whole, streams) = try store.read { snapshot in
      var whole: [LedgerV2.Event] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() { whole.append(entry.event) }
      var streams: [StreamName: [LedgerV2.Event]] = [:]
      for stream in Set(stored.values.map(\.stream)) {
        var entries = try snapshot.entries(in: stream)
        while let entry = try entries.next() { streams[stream, default: []].append(entry.event) }
      }
      return (whole, streams)
    }
    #expect(whole == expected { _ in false }, at)
    for stream in Set(stored.values.map(\.stream)) {
      let wanted = expected { $0.stream != stream || $0.revision < oldest[stream] ?? 0 }
      #expect(streams[stream] ?? [] == wanted, "\(at), \(stream)")
    }
  }
}
