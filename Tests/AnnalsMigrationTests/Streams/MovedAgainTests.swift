import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration
@testable import AnnalsStore

/// Names of streams that one pass, or one after the other, gives to several streams.
@Suite struct MovedAgainTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func id(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, number))
  }

  private func went(_ number: UInt8, _ to: [String]) -> RoutesV1.Went { .init(number: Int(number), to: to) }

  /// Stores an event in each stream, which says where each stage takes it, and closes some streams. The ids
  /// count from 0.
  private func seed(_ events: KeyValuePairs<StreamName, [String]>, closing: [StreamName] = []) async throws {
    let store = try EventStore(at: place.url, plan: RoutesFirst.self)
    for (number, (stream, to)) in events.enumerated() {
      let number = UInt8(number)
      try await store.append([NewEvent(.went(went(number, to)), id: id(number))], to: stream)
    }
    for stream in closing { try await store.close(stream) }
  }

  private func closed<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>, _ streams: [StreamName]
  ) throws -> [Bool?] {
    try store.read { snapshot in try streams.map { try snapshot.state(of: $0)?.isClosed } }
  }

  @Test func `A closed stream that was merged stays closed under its next name`() async throws {
    try await seed(["a": ["stay", "c"], "b": ["a", "c"]], closing: ["a"])
    let store = try EventStore(at: place.url, plan: RoutesThird.self, options: .passing())
    #expect(try closed(store, ["a", "b", "c"]) == [nil, nil, true])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `A closed stream stays closed under a name that another one has left`() async throws {
    try await seed(["a": ["b"], "b": ["c"]], closing: ["a"])
    let store = try EventStore(at: place.url, plan: RoutesSecond.self, options: .passing())
    #expect(try closed(store, ["a", "b", "c"]) == [nil, true, false])
  }

  @Test(arguments: [true, false])
  func `A stream whose name others get in the same pass keeps its ids, and stays closed`(isFirst: Bool)
    async throws
  {
    if isFirst {
      try await seed(["a": ["d"], "b": ["a"], "c": ["a"]], closing: ["a"])
    } else {
      try await seed(["b": ["a"], "c": ["a"], "a": ["d"]], closing: ["a"])
    }
    let store = try EventStore(at: place.url, plan: RoutesSecond.self, options: .passing())
    #expect(try closed(store, ["a", "d"]) == [true, true])
    let (number, position): (UInt8, Position) = isFirst ? (0, 1) : (2, 3)
    let again = try await store.append([NewEvent(.went(went(number, ["d"])), id: id(number))], to: "d")
    #expect(again.wasRepeated && again.positions == [position])
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([NewEvent(.went(went(1, ["a"])), id: id(1))], to: "a")
    }
    #expect(error?.code == .streamMoved)
  }

  @Test func `Ids count under a name that a merged stream has left`() async throws {
    try await seed(["a": ["c", "d"], "b": ["c", "d"], "e": ["stay", "c"]])
    let store = try EventStore(at: place.url, plan: RoutesThird.self, options: .passing())
    let again = try await store.append([NewEvent(.went(went(2, ["stay", "c"])), id: id(2))], to: "c")
    #expect(again.wasRepeated)
    for number in [0, 1] as [UInt8] {
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append([NewEvent(.went(went(number, ["c", "d"])), id: id(number))], to: "d")
      }
      #expect(error?.code == .streamMoved && error?.details.id == id(number))
    }
  }

  @Test(arguments: ["stay", "b"])
  func `Ids count in a stream that has begun under the name of a merged one, after the next pass`(
    destination: String
  ) async throws {
    try await seed(["a": ["c", "d", "stay"], "b": ["c", "d", "stay"]])
    do {
      let store = try EventStore(at: place.url, plan: RoutesThird.self, options: .passing())
      try await store.append([.went(.init(number: 5, to: ["", "", destination]))], to: "c")
      try await store.append([NewEvent(.went(went(6, ["", "", destination])), id: id(6))], to: "c")
    }
    let store = try EventStore(at: place.url, plan: RoutesFourth.self, options: .passing())
    let stream = destination == "stay" ? "c" : StreamName(destination)
    let again = try await store.append(
      [NewEvent(.went(went(6, ["", "", destination])), id: id(6))], to: stream)
    #expect(again.wasRepeated)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `A stream that was merged and is split off again is found, and its events are not stored twice`()
    async throws
  {
    try await seed(["a": ["b", "c"], "b": ["stay", "stay"]])
    let store = try EventStore(at: place.url, plan: RoutesThird.self, options: .passing())
    #expect(try store.log.moved(from: "a") == ["b", "c"])
    #expect(try store.log.moved(from: "b") == ["c"])
    let refused = await #expect(throws: AnnalsError.self) {
      try await store.append([NewEvent(.went(went(0, ["b", "c"])), id: id(0))], to: "a")
    }
    // The stream that has the id comes first.
    #expect(refused?.code == .streamMoved && refused?.details.movedTo == ["c", "b"])
    let again = await #expect(throws: AnnalsError.self) {
      try await store.append([NewEvent(.went(went(0, ["b", "c"])), id: id(0))], to: "c")
    }
    #expect(again?.code == .streamMoved && again?.details.id == id(0))
    #expect(try store.log.info().entries == 2)
  }

  @Test func `The stream that keeps a name is named before the one that part of it has gone to`()
    async throws
  {
    try await seed(["a": ["b", "stay"], "b": ["stay", "c"]])
    let store = try EventStore(at: place.url, plan: RoutesThird.self, options: .passing())
    let refused = await #expect(throws: AnnalsError.self) {
      try await store.append([.went(went(7, ["b", "stay"]))], to: "a", expecting: .exists)
    }
    #expect(refused?.code == .streamMoved && refused?.details.movedTo == ["b", "c"])
  }

  @Test func `A name that has begun again is not where the entries are that left it`() async throws {
    try await seed(["a": ["b", "c"]])
    do {
      let store = try EventStore(at: place.url, plan: RoutesThird.self, options: .passing())
      try await store.append([.went(.init(number: 5, to: ["", ""]))], to: "b")
      #expect(try store.log.moved(from: "a") == ["c"])
    }
    // The row of the new stream is written at the latest when the store is opened again.
    let store = try EventStore(at: place.url, plan: RoutesThird.self)
    #expect(try store.log.moved(from: "a") == ["c"])
    let refused = await #expect(throws: AnnalsError.self) {
      try await store.append([NewEvent(.went(went(0, ["b", "c"])), id: id(0))], to: "a")
    }
    #expect(refused?.details.movedTo == ["c"])
    #expect(try await store.append([NewEvent(.went(went(0, ["b", "c"])), id: id(0))], to: "c").wasRepeated)
  }
}
