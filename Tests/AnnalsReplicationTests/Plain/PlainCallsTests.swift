import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsReplication

/// Plain calls are decided many at a time, and each as if it were alone.
@Suite struct PlainCallsTests {
  /// Begins a log, and adds shared messages with random calls and copies of them.
  private static func fill(
    _ log: MemoryLog, _ directory: TemporaryDirectory, _ calls: inout DeskCalls,
    _ inline: [any InlineProjection<DesksV1.Event>.Type], seed: UInt64
  ) async throws -> [UUID] {
    let id = try await ClusterStore.open(
      at: directory.url.appendingPathComponent("first.annals"), plan: DesksPlan.self, log: log.connect(),
      options: Machine.options(), inline: inline
    ).store.log.id
    var random = SeededGenerator(seed: seed &* 3)
    var order: [UUID] = []
    for _ in 0..<60 {
      var group: [SharedCall] = []
      for _ in 0..<(random.next() % 4 == 0 ? 1 : random.next() % 30 + 1) { group.append(try calls.next()) }
      order += group.compactMap { $0.call?.commit.id }
      log.store(ClusterMessage.bytes(of: group.map(\.bytes), log: id))
    }
    return order
  }

  /// Checks that the projection was given each event with its own position, stream and revision.
  private static func checkPlaces(of store: EventStore<DesksPlan>) throws {
    let places = try store.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(Desks.self).rows(RowQuery(Desks.Place.self))
    }
    #expect(places.count > 50)
    for place in places {
      let entry = try store.log.read { (snapshot) throws(AnnalsError) in
        try snapshot.entry(at: Position(UInt64(place.position)))
      }
      #expect(entry?.stream.text == place.stream && entry?.revision.rawValue == UInt64(place.revision))
    }
  }

  @Test(arguments: RunLength.seeds(6))
  func `each has the verdict that it would have alone, however many are decided together`(
    seed: UInt64
  ) async throws {
    print("plain calls with seed \(seed)")
    let inline: [any InlineProjection<DesksV1.Event>.Type] =
      seed.isMultiple(of: 2) ? [Desks.self] : [Desks.self, Notes.self]
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let log = MemoryLog(seed: seed)
    var calls = DeskCalls(seed: seed, hasNotes: inline.count > 1)
    let order = try await Self.fill(log, directory, &calls, inline, seed: seed)
    let expected = calls.outcome(of: order)
    var random = SeededGenerator(seed: seed)
    var first: AppliedMessages?
    for (number, limit) in [1, log.messages.count, 7, 40].enumerated() {
      let url = directory.url.appendingPathComponent("\(number).annals")
      let applied = try await AppliedMessages(
        log.messages, to: url, over: log.connect(), plan: DesksPlan.self, inline: inline
      ) {
        number < 2 ? limit : Int.random(in: 1...limit, using: &random)
      } inspect: { store in
        let events = try store.log.plainEvents().map { "\($0.stream) \($0.revision) \($0.mark ?? 0)" }
        #expect(events == expected.events)
        let desks = try store.read { (snapshot) throws(AnnalsError) in
          try snapshot.inline(Desks.self).rows(RowQuery(Desks.Row.self)).map {
            "\($0.desk) \($0.mark.number)"
          }
        }
        #expect(desks.sorted() == expected.desks)
        try Self.checkPlaces(of: store)
      }
      #expect(try EventLog.verify(url).findings.isEmpty)
      #expect(applied.verdicts.count { $0.contains("failure") } == expected.refused)
      for code in ["rejected", "ruleFailed", "conflict"] {
        #expect(applied.verdicts.contains { $0.contains(code) }, "\(code)")
      }
      #expect(first == nil || first == applied, "at most \(limit) messages at a time")
      first = first ?? applied
    }
    #expect(expected.events.count > 100 && expected.refused > 100)
  }
}
