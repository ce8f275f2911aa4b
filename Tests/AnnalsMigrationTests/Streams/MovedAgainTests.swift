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
}
