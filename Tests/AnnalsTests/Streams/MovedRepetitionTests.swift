import Foundation
import Testing

@testable import Annals

/// Calls that are repeated under a name that their stream had before a pass.
@Suite struct MovedRepetitionTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func id(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, number))
  }

  /// A store of the second version, whose first entries were stored under names that are gone or hold less than they did.
  ///
  /// - Parameters:
  ///   - others: How many events without ids come last in "user 0".
  ///   - isMerged: Whether "spare 0", which goes to the same stream as "user 0", holds an event.
  private func moved(others: Int = 0, isMerged: Bool = false) async throws -> EventStore<ClubSecond> {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      try await store.append(
        [NewEvent(.noted(.init(n: 1)), id: id(isMerged ? 7 : 6))], to: isMerged ? "spare 0" : "spare 1")
      try await store.append(
        [
          NewEvent(.weighed(.init(n: 1)), id: id(1)), NewEvent(.noted(.init(n: 2)), id: id(2)),
          NewEvent(.weighed(.init(n: 3)), id: id(3)),
        ], to: "user 0")
      try await store.append(
        [NewEvent(.weighed(.init(n: 1)), id: id(4)), NewEvent(.lifted(.init(n: 2, sets: 1)), id: id(5))],
        to: "club")
      try await store.append([.noted(.init(n: 1)), .weighed(.init(n: 1))], to: "else")
      try await store.append((0..<others).map { .noted(.init(n: 5 * $0 + 1)) }, to: "user 0")
    }
    try await place.migrate(ClubSecond.self)
    return try EventStore(at: place.url, plan: ClubSecond.self)
  }

  private var call: [NewEvent<ClubV2.Event>] {
    [
      NewEvent(.weighed(.init(n: 1)), id: id(1)), NewEvent(.noted(.init(n: 2)), id: id(2)),
      NewEvent(.weighed(.init(n: 3)), id: id(3)),
    ]
  }

  @Test(arguments: [.any, .noStream, .revision(0)] as [Annals.Expectation])
  func `a call that is repeated under an old name is found where its entries went`(
    expected: Annals.Expectation
  ) async throws {
    let store = try await moved()
    let answer = try await store.append(call, to: "user 0", expecting: expected)
    #expect(answer.wasRepeated)
    #expect(answer.positions == [2, 3, 4] && answer.revisions == [0, 1, 2])
    #expect(try store.log.info().entries == 8)
  }

  @Test func `so is one whose entries went to several streams`() async throws {
    let store = try await moved()
    let events: [NewEvent<ClubV2.Event>] = [
      NewEvent(.weighed(.init(n: 1)), id: id(4)), NewEvent(.setLifted(.init(n: 2)), id: id(5)),
    ]
    let answer = try await store.append { all in
      all.append(events, to: "club")
      all.append(call, to: "user 0")
    }
    #expect(answer.wasRepeated)
    #expect(answer.positions == [5, 6, 2, 3, 4] && answer.revisions == [0, 0, 0, 1, 2])
    let turned = await #expect(throws: AnnalsError.self) {
      try await store.append(events.reversed(), to: "club")
    }
    #expect(turned?.code == .partialDuplicate)
    #expect(try store.log.info().entries == 8)
  }

  @Test func `so is one whose name has begun anew meanwhile`() async throws {
    let store = try await moved()
    #expect(try await store.append([NewEvent(.noted(.init(n: 9)), id: id(9))], to: "user 0").revisions == [0])
    #expect(try await store.append(call, to: "user 0").positions == [2, 3, 4])
    #expect(try await store.append([NewEvent(.noted(.init(n: 9)), id: id(9))], to: "user 0").wasRepeated)
    #expect(
      try await store.append([NewEvent(.noted(.init(n: 10)), id: id(10))], to: "user 0").revisions == [1])
  }

  @Test func `a part of a call is told as one`() async throws {
    let store = try await moved()
    let longer = await #expect(throws: AnnalsError.self) {
      try await store.append(call + [NewEvent(.noted(.init(n: 4)), id: id(6))], to: "user 0")
    }
    #expect(longer?.code == .partialDuplicate)
    let nameless = await #expect(throws: AnnalsError.self) {
      try await store.append(call + [NewEvent(.noted(.init(n: 4)))], to: "user 0")
    }
    #expect(nameless?.code == .partialDuplicate)
    let beside = await #expect(throws: AnnalsError.self) {
      try await store.append { all in
        all.append(call, to: "user 0")
        all.append([NewEvent(.noted(.init(n: 4)), id: id(6))], to: "else")
      }
    }
    #expect(beside?.code == .partialDuplicate)
    #expect(try store.log.info().entries == 8)
  }

  @Test func `a new call begins the old name anew where it is certain to be new`() async throws {
    let store = try await moved()
    let answer = try await store.append([NewEvent(.noted(.init(n: 9)), id: id(9))], to: "user 0")
    #expect(!answer.wasRepeated && answer.revisions == [0])
  }

  @Test
  func
    `where so much stands behind it that a repetition could not be told, the call is led to the new stream`()
    async throws
  {
    let store = try await moved(others: 64)
    for number in [UInt8(1), 9] {
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append([NewEvent(.weighed(.init(n: 1)), id: id(number))], to: "user 0")
      }
      #expect(error?.code == .streamMoved && error?.details.movedTo == ["athlete-0"])
    }
    #expect(try store.log.info().entries == 72)
    // Without ids nobody asks whether it is one.
    #expect(try await store.append([.weighed(.init(n: 1))], to: "user 0").revisions == [0])
  }

  @Test(arguments: [0, 300])
  func `lines of a dump that was made before a pass are found where their entries went`(others: Int)
    async throws
  {
    let store = try await moved(others: others)
    let rows: [(stream: String, number: UInt8, type: String)] = [
      ("user 0", 1, "Weighed"), ("user 0", 2, "Noted"), ("club", 4, "Weighed"), ("user 0", 3, "Weighed"),
      ("club", 5, "SetLifted"), ("late", 8, "Noted"),
    ]
    let lines = rows.map { row in
      #"{"stream":"\#(row.stream)","type":"\#(row.type)","version":"2.0.0","id":"\#(id(row.number))","data":{"n":1}}"#
    }
    let report = try await store.log.importText(lines.joined(separator: "\n"))
    #expect(report.repeated == 5 && report.stored == 1)
    #expect(try store.log.info().entries == UInt64(9 + others))
    let again = try await store.log.importText(lines.joined(separator: "\n"))
    #expect(again.repeated == 6 && again.stored == 0)
  }

  @Test(arguments: [1, 7] as [UInt8], [nil, .always] as [StoreOptions.Idempotency?])
  func `an id in a stream that a pass has merged is never answered with another event's position`(
    number: UInt8, idempotency: StoreOptions.Idempotency?
  ) async throws {
    let store = try await moved(isMerged: true)
    if let idempotency { try store.log.setIdempotency(idempotency) }
    // The id 7 is that of an event of "spare 0", the id 1 that of one of "user 0".
    for name in ["user 0", "spare 0", "athlete-0"] as [StreamName] {
      let error = await #expect(throws: AnnalsError.self) {
        try await store.append([NewEvent(.noted(.init(n: 2)), id: id(number))], to: name)
      }
      #expect(error?.code == .streamMoved && error?.details.movedTo == ["athlete-0"])
      #expect(error?.details.id == id(number))
      let line =
        #"{"stream":"\#(name)","type":"Noted","version":"2.0.0","id":"\#(id(number))","data":{"n":2}}"#
      let refused = await #expect(throws: AnnalsError.self) { try await store.log.importText(line) }
      #expect(refused?.code == .streamMoved && refused?.details.line == 1)
    }
    #expect(try store.log.info().entries == 8)
    // What came after the pass is of the stream itself.
    let new = [NewEvent<ClubV2.Event>(.noted(.init(n: 9)), id: id(9))]
    #expect(try await store.append(new, to: "athlete-0").revisions == [4])
    #expect(try await store.append(new, to: "athlete-0").wasRepeated)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `which streams were merged is known after later passes`() async throws {
    do { _ = try await moved(isMerged: true) }
    try await place.migrate(ClubThird.self)
    let store = try EventStore(at: place.url, plan: ClubThird.self)
    _ = try await store.log.compact().report()
    let line = #"{"stream":"user 0","type":"Noted","version":"2.0.0","id":"\#(id(1))","data":{"n":2}}"#
    let refused = await #expect(throws: AnnalsError.self) { try await store.log.importText(line) }
    #expect(refused?.code == .streamMoved)
    #expect(try EventLog.verify(place.url).isClean)
  }
}
