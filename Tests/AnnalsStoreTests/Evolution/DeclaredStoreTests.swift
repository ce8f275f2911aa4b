import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsStore

@Suite struct DeclaredStoreTests {
  @Test func `records are stored by their shape and read back, also by another open`() async throws {
    let place = try TemporaryStore()
    try await place.seedWorkouts()
    let store = try EventStore(at: place.url, plan: WorkoutsFirst.self)
    #expect(
      try store.events() == [
        .setsLogged(.init(exercise: "Squat", weight: 82.5, reps: 5, sets: 2)),
        .bodyWeighed(.init(weight: 80)),
        .heartbeat(.init(n: 7)), .placeNamed(.init(name: "Mill")),
      ])
    let first = try store.log.read { (snapshot) throws(AnnalsError) in
      try snapshot.reader.bytes(at: 1).copied.suffix(12)
    }
    // [ "Squat", 82.5, 5, 2 ] as RFC 8949 writes it; 82.5 fits a half.
    #expect(Array(first) == [0x84, 0x65, 0x53, 0x71, 0x75, 0x61, 0x74, 0xf9, 0x55, 0x28, 0x05, 0x02])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `an entry stored by shape is shown by the names of its fields, without a plan`() async throws {
    let place = try TemporaryStore()
    try await place.seedWorkouts()
    let entries = try place.open().read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    guard case .payload(let payload) = entries[0].content else { throw Missing() }
    #expect(
      try payload.value == ["reps": 5, "sets": 2, "weight": 82.5, "exercise": "Squat"])
  }

  @Test func `the same type stored by name and by shape is read alike`() async throws {
    let place = try TemporaryStore()
    try await place.open().append(
      [
        NewEntry(
          type: "BodyWeighed", version: SchemaVersion(1, 0, 0), payload: try Payload(["weight": 71]))
      ], to: "workout-1")
    try await place.seedWorkouts()
    let events = try EventStore(at: place.url, plan: WorkoutsSecond.self).events()
    #expect(events[0] == .bodyWeighed(.init(kilograms: 71, note: nil)))
    #expect(events[2] == .bodyWeighed(.init(kilograms: 80, note: nil)))
    let census = try place.open().read { (snapshot) throws(AnnalsError) in try snapshot.census() }
    #expect(census.filter { $0.type == "BodyWeighed" }.map(\.isByShape) == [false, true])
  }

  struct Missing: Error {}
}
