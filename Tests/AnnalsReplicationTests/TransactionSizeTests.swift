import Annals
import AnnalsLog
import AnnalsStore
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsProjections
@testable import AnnalsReplication

/// The same messages, applied in transactions of any size.
@Suite struct TransactionSizeTests {
  /// Calls of every kind that a machine decides, from several tasks that do not know of each other.
  private static func write(_ store: EventStore<SeatsPlan>, task: Int, seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed &* 31 &+ UInt64(task))
    let ids = (0..<6).map { _ in UUID() }
    for number in 0..<40 {
      let mark = task * 1_000 + number
      let stream = StreamName("a\(Int.random(in: 0..<5, using: &random))")
      let note = SeatsV1.Event.noted(.init(mark: mark))
      let booking = SeatsV1.Event.booked(
        .init(seat: "s\(Int.random(in: 0..<50, using: &random))", mark: mark))
      do throws(AnnalsError) {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: try await store.append([note], to: stream)
        case 1: try await store.append([note], to: "other")
        case 2: try await store.append([booking, note], to: stream)
        case 3:
          let revision = Revision(UInt64.random(in: 0..<40, using: &random))
          try await store.append([note], to: stream, expecting: .revision(revision))
        case 4:
          let id = ids[Int.random(in: 0..<6, using: &random)]
          try await store.append([NewEvent(note, id: id)], to: StreamName("ids-\(task % 2)"))
        case 5:
          let query = EventQuery<SeatsV1.Event>([\.booked], tags: [EventTag("seat:s\(number)")])
          try await store.append([booking], to: stream, unless: query)
        case 6:
          try await store.append { call in
            call.append([note, booking], to: stream)
            call.append([note], to: "other", expecting: .exists)
          }
        default:
          if number % 2 == 0 { try await store.close(stream) } else { try await store.reopen(stream) }
        }
      } catch {
        #expect(error.code.isVerdict, "\(error)")
      }
    }
  }

  /// Applies messages to a new store, in slices of the sizes that `size` draws.
  private static func apply(
    _ messages: [ReplicatedMessage], to url: URL, over log: any ReplicatedLog, _ size: () -> Int
  ) async throws -> AppliedMessages {
    try await AppliedMessages(
      messages, to: url, over: log, plan: SeatsPlan.self, inline: [Bookings.self], size)
  }

  @Test(arguments: RunLength.seeds(3))
  func `stores, hashes and verdicts do not depend on the sizes of transactions`(seed: UInt64) async throws {
    print("sizes of transactions with seed \(seed)")
    let directory = try TemporaryDirectory()
    let log = MemoryLog(seed: seed)
    let writer = Machine(directory, "writer", log.connect(.init(twice: 150, late: 150)))
    writer.log = RegroupingLog(writer.connection, seed: seed)
    let store = try await writer.open(inline: [Bookings.self])
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 { group.addTask { try await Self.write(store, task: task, seed: seed) } }
      try await group.waitForAll()
    }
    // An erasure between calls, which is a transaction of its own.
    try store.erase(stream: "other", by: "test", because: "asked")
    try await Self.write(store, task: 9, seed: seed)
    let messages = log.messages
    let place = directory.url
    let alone = try await Self.apply(
      messages, to: place.appendingPathComponent("alone.annals"), over: log.connect()
    ) { 1 }
    let whole = try await Self.apply(
      messages, to: place.appendingPathComponent("whole.annals"), over: log.connect()
    ) { messages.count }
    #expect(alone == whole)
    var random = SeededGenerator(seed: seed)
    for number in 0..<3 {
      let mixed = try await Self.apply(
        messages, to: place.appendingPathComponent("mixed\(number).annals"), over: log.connect()
      ) { Int.random(in: 1...60, using: &random) }
      #expect(mixed == alone)
    }
    #expect(alone.entries.count > 100)
    #expect(alone.verdicts.contains { $0.contains("rejected") })
    #expect(alone.verdicts.contains { $0.contains("conflict") })
    #expect(alone.verdicts.contains { $0.contains("wasRepeated: true") })
  }
}
