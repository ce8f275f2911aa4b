import Annals
import Foundation
import Testing

@Schema(1, 0, 0) enum RoomsV1 {
  @Record struct Booked {
    @Field(tag: "guest") var guest: String
    var nights: Int
  }
  @Record struct Pinged {
    @Field(tag: "guest") var guest: String
  }
}

@Schema(2, 0, 0) enum RoomsV2 {
  @Record struct Stayed {
    @Field(tag: "guest") var guest: String
    var night: Int
  }
}

@Schema(3, 0, 0) enum RoomsV3 {
  typealias Stayed = RoomsV2.Stayed
}

enum FirstRooms: SchemaMigrationPlan {
  static var stages: MigrationChain<RoomsV1, RoomsV1> {}
}

/// Splits bookings into nights, drops pings, and gives each guest a stream.
enum Rooms: SchemaMigrationPlan {
  static var stages: MigrationChain<RoomsV1, RoomsV3> {
    MigrationStage.custom(fromVersion: RoomsV1.self, toVersion: RoomsV2.self) {
      Split(\.booked, into: [\.stayed]) { old, _ in
        (0..<old.nights).map { .stayed(.init(guest: old.guest, night: $0)) }
      }
      Drop(\.pinged, reason: "noise")
    }
    MigrationStage.custom(fromVersion: RoomsV2.self, toVersion: RoomsV3.self) {
      Streams { events, _ in
        guard case .stayed(let stayed) = events.first else { return .stays }
        return .moves(to: StreamName("guest-\(stayed.guest)"))
      }
    }
  }
}

/// Tags across splits, drops and streams that move.
@Suite struct TagMovingTests {
  private static func positions(_ url: URL, _ tag: EventTag) throws -> [UInt64] {
    let log = try EventLog(at: url, options: StoreOptions(access: .readOnly))
    return try log.read { snapshot in
      var found: [UInt64] = []
      var entries = try snapshot.entries(matching: [LogQuery.Item(tags: [tag])])
      while let entry = try entries.next() { found.append(entry.position.rawValue) }
      return found
    }
  }

  @Test func `tags lead to the same events after their streams have moved, and conditions hold`() async throws
  {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    do {
      let store = try EventStore(at: place.url, plan: FirstRooms.self)
      for number in 0..<30 {
        let guest = "g\(number % 3)"
        let event: RoomsV1.Event =
          number % 5 == 4
          ? .pinged(.init(guest: guest)) : .booked(.init(guest: guest, nights: 1 + number % 4))
        try await store.append([event], to: StreamName("room-\(number % 2)"))
      }
    }
    let expected = (0..<3).map { guest in
      (0..<30).filter { $0 % 3 == guest && $0 % 5 != 4 }.map { UInt64($0 + 1) }
    }
    var passes = try PlanMigration(at: place.url, plan: Rooms.self, to: nil, options: StoreOptions())
    while let run = try passes.next(MigrationOptions()) { _ = try await run.report() }
    #expect(try EventLog.verify(place.url).isClean)
    for guest in 0..<3 {
      #expect(try Self.positions(place.url, EventTag("guest:g\(guest)")) == expected[guest])
    }
    let store = try EventStore(at: place.url, plan: Rooms.self)
    let query = EventQuery<RoomsV3.Event>([\.stayed], tags: ["guest:g1"])
    let last = try #require(expected[1].last)
    let event = RoomsV3.Event.stayed(.init(guest: "g1", night: 9))
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([event], to: "guest-g1", unless: query, after: Position(last - 1))
    }
    #expect(error?.code == .conflict && error?.details.position?.rawValue == last)
    try await store.append([event], to: "guest-g1", unless: query, after: Position(last))
    #expect(try EventLog.verify(place.url).isClean)
  }
}
