import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Calls that are repeated under a name that their stream had before a pass.
@Suite struct MovedRepetitionTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  private func id(_ number: UInt8) -> UUID {
    UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, number))
  }

  /// A store of the second version, whose first entries have names that are gone or have fewer entries now.
  ///
  /// - Parameters:
  ///   - others: The number of events without ids at the end of "user 0".
  ///   - isMerged: Whether "spare 0", which goes to the same stream as "user 0", has an event.
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
  func `A call that is repeated under an old name is refused, and recognised under the new one`(
    expected: Annals.Expectation
  ) async throws {
    let store = try await moved()
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append(call, to: "user 0", expecting: expected)
    }
    #expect(error?.code == .streamMoved && error?.recovery == [])
    #expect(error?.details.stream == "user 0" && error?.details.movedTo == ["athlete-0"])
    #expect(error?.message.contains("moved to 'athlete-0': append there, and read there first") == true)
    #expect(try store.log.info().entries == 8)
    let answer = try await store.append(call, to: "athlete-0", expecting: expected)
    #expect(answer.wasRepeated)
    #expect(answer.positions == [2, 3, 4] && answer.revisions == [0, 1, 2])
  }

  @Test func `A repeated call for several streams is refused if one of them has moved`() async throws {
    let store = try await moved()
    let events: [NewEvent<ClubV2.Event>] = [
      NewEvent(.weighed(.init(n: 1)), id: id(4)), NewEvent(.setLifted(.init(n: 2)), id: id(5)),
    ]
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append { all in
        all.append([NewEvent(.noted(.init(n: 4)), id: id(6))], to: "else")
        all.append(events, to: "club")
      }
    }
    #expect(error?.code == .streamMoved)
    #expect(error?.details.stream == "club" && error?.details.movedTo == ["weights", "lifts"])
    #expect(try store.log.info().entries == 8)
  }

  @Test func `A name that has begun again is an ordinary stream, in which alone ids are searched`()
    async throws
  {
    let store = try await moved()
    let new = [NewEvent<ClubV2.Event>(.noted(.init(n: 9)), id: id(9))]
    let error = await #expect(throws: AnnalsError.self) { try await store.append(new, to: "user 0") }
    #expect(error?.code == .streamMoved)
    #expect(try await store.append([.noted(.init(n: 8))], to: "user 0").revisions == [0])
    #expect(try await store.append(new, to: "user 0").revisions == [1])
    #expect(try await store.append(new, to: "user 0").wasRepeated)
    #expect(try await store.append(call, to: "user 0").revisions == [2, 3, 4])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `Of two streams with one id that a pass puts together, erasing one event leaves the other's id`()
    async throws
  {
    do {
      var options = StoreOptions()
      options.idempotency = .always
      let store = try EventStore(at: place.url, plan: ClubFirst.self, options: options)
      for stream in ["spare 0", "user 0"] as [StreamName] {
        try await store.append([NewEvent(.noted(.init(n: 1)), id: id(1))], to: stream)
      }
    }
    try await place.migrate(ClubSecond.self)
    let log = try EventLog(at: place.url)
    func newest() throws -> Position? {
      try log.read { snapshot throws(AnnalsError) in
        try snapshot.entry(id: id(1), in: "athlete-0")?.position
      }
    }
    #expect(try newest() == 2)
    try log.erase([2], by: "jane", because: "request")
    #expect(try newest() == 1)
    #expect(try EventLog.verify(place.url).isClean)
  }

  /// Lines of a dump, for events whose ids are in the store, and a last one that is new.
  private func lines(_ streams: [String]) -> String {
    let rows = zip(streams, [(1, "Weighed"), (2, "Noted"), (4, "Weighed"), (3, "Weighed"), (5, "SetLifted")])
    let known = rows.map { stream, row in
      let id = id(UInt8(row.0))
      return
        #"{"stream":"\#(stream)","type":"\#(row.1)","version":"2.0.0","id":"\#(id)","data":{"n":1}}"#
    }
    let new = #"{"stream":"late","type":"Noted","version":"2.0.0","id":"\#(id(8))","data":{"n":1}}"#
    return (known + [new]).joined(separator: "\n")
  }

  @Test(arguments: [0, 300], [nil, .always] as [StoreOptions.Idempotency?])
  func `Lines of a dump from before a pass are refused, and those of a dump from after it are known`(
    others: Int, idempotency: StoreOptions.Idempotency?
  ) async throws {
    let store = try await moved(others: others)
    if let idempotency { try store.log.setIdempotency(idempotency) }
    let before = lines(["athlete-0", "user 0", "club", "user 0", "club"])
    let refused = await #expect(throws: AnnalsError.self) { try await store.log.importText(before) }
    #expect(refused?.code == .streamMoved && refused?.details.line == 2)
    #expect(refused?.details.movedTo == ["athlete-0"])
    #expect(try store.log.info().entries == UInt64(8 + others))
    let after = lines(["athlete-0", "athlete-0", "weights", "athlete-0", "lifts"])
    let report = try await store.log.importText(after)
    #expect(report.repeated == 5 && report.stored == 1)
    let again = try await store.log.importText(after)
    #expect(again.repeated == 6 && again.stored == 0)
    #expect(try store.log.info().entries == UInt64(9 + others))
  }

  @Test func `A line with an unknown id is refused where part of the stream has moved`() async throws {
    let store = try await moved()
    try await store.append([.noted(.init(n: 8))], to: "user 0")
    func line(_ number: UInt8) -> String {
      #"{"stream":"user 0","type":"Weighed","version":"2.0.0","id":"\#(id(number))","data":{"n":1}}"#
    }
    for number in [1, 9] as [UInt8] {
      let refused = await #expect(throws: AnnalsError.self) { try await store.log.importText(line(number)) }
      #expect(refused?.code == .streamMoved && refused?.details.line == 1)
    }
    #expect(try store.log.info().entries == 9)
    try await store.append([NewEvent(.weighed(.init(n: 1)), id: id(9))], to: "user 0")
    #expect(try await store.log.importText(line(9)).repeated == 1)
  }

  @Test(arguments: [1, 7] as [UInt8], [nil, .always] as [StoreOptions.Idempotency?])
  func `An id in a stream that a pass has merged is never answered with another event's position`(
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
      #expect(error?.details.id == (name == "athlete-0" ? id(number) : nil))
      let line =
        #"{"stream":"\#(name)","type":"Noted","version":"2.0.0","id":"\#(id(number))","data":{"n":2}}"#
      let refused = await #expect(throws: AnnalsError.self) { try await store.log.importText(line) }
      #expect(refused?.code == .streamMoved && refused?.details.line == 1)
    }
    #expect(try store.log.info().entries == 8)
    // Entries that came after the pass belong to the stream itself.
    let new = [NewEvent<ClubV2.Event>(.noted(.init(n: 9)), id: id(9))]
    #expect(try await store.append(new, to: "athlete-0").revisions == [4])
    #expect(try await store.append(new, to: "athlete-0").wasRepeated)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `Later passes keep the record of merged streams`() async throws {
    do { _ = try await moved(isMerged: true) }
    try await place.migrate(ClubThird.self)
    let store = try EventStore(at: place.url, plan: ClubThird.self)
    _ = try await store.log.compact().report()
    let line = #"{"stream":"athlete-0","type":"Noted","version":"2.0.0","id":"\#(id(1))","data":{"n":2}}"#
    let refused = await #expect(throws: AnnalsError.self) { try await store.log.importText(line) }
    #expect(refused?.code == .streamMoved && refused?.details.id == id(1))
    #expect(try EventLog.verify(place.url).isClean)
  }
}
