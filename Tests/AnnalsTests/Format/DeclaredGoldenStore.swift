import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsStore

/// The stores of declared kinds that are kept as bytes under `Golden`, and the programs that made them.
enum DeclaredGoldenStore {
  /// One that was written before kinds said which older versions read them.
  static let kept = KeptStore("format-1-declared")
  /// One whose kinds say it.
  static let noted = KeptStore("format-1-readers")
  static let all = [kept, noted]

  /// What the draft's program must read.
  struct Expected: Equatable {
    var position: UInt64
    var path: [UInt32] = []
    var stream: StreamName
    var revision: UInt64
    var time: String
    var id: UUID?
    var metadata: Metadata = [:]
    var event: GoldenParks3.Event
  }

  /// What can be read of an entry without a plan.
  struct Stored: Equatable {
    var type: String
    var version: SchemaVersion?
    var payload: CBOR
  }

  private static let times = (
    "2001-01-01T00:00:00.000000Z", "2020-02-29T12:00:00.500000Z", "2024-12-31T23:59:59.000001Z",
    "2026-01-01T00:00:00.000000Z"
  )
  private static let opened = Date(timeIntervalSinceReferenceDate: 0.5)

  /// Every entry without a plan, in the order of positions.
  static let stored: [Stored] = [
    Stored(
      type: "ParkAdded", version: nil,
      payload: ["name": "Hyde", "city": "London", "area": 142, "opened": "2001-01-01T00:00:00.500Z"]),
    Stored(type: "Visited", version: nil, payload: ["n": 1, "by": "nobody reads this"]),
    Stored(
      type: "ParkAdded", version: SchemaVersion(1, 0, 0),
      payload: ["name": "Royal Victoria", "city": "Bath", "area": 23.5]),
    Stored(
      type: "path", version: SchemaVersion(1, 0, 0),
      payload: [
        "park": "e\u{301}", "metres": [0, 65_535], "labels": ["b": -1, "aa": 24],
        "ground": ["mixed": ["_0": ["gravel": [:]], "over": ["other": [:]]]],
      ]),
    Stored(type: "Visited", version: SchemaVersion(1, 0, 0), payload: ["n": .negative(.max >> 1)]),
    Stored(
      type: "ParkAdded", version: SchemaVersion(1, 0, 0),
      payload: ["name": "Kensington", "city": "London", "area": 111.25, "opened": .double(0.5)]),
    Stored(
      type: "CityAdded", version: SchemaVersion(2, 0, 0),
      payload: [
        "id": .bytes([0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 99]), "name": "York",
      ]),
    Stored(
      type: "path", version: SchemaVersion(2, 0, 0),
      payload: ["park": "Museum Gardens", "metres": [], "labels": [:], "ground": ["gravel": [:]]]),
    Stored(
      type: "path", version: SchemaVersion(3, 0, 0),
      payload: [
        "note": "wet", "place": "Rowntree", "metres": [70_000], "labels": [:], "ground": ["other": [:]],
      ]),
    Stored(
      type: "ParkAdded", version: SchemaVersion(3, 0, 0),
      payload: [
        "name": "Rowntree", "city": .bytes([0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 99]),
        "area": 0.1, "trees": 300,
      ]),
  ]

  /// Every event of the draft, in the order of positions.
  static var events: [Expected] {
    let (london, bath, york) = (GoldenCities.id(1), GoldenCities.id(3), GoldenCities.id(99))
    return [
      Expected(
        position: 1, path: [0], stream: "parks", revision: 0, time: times.0,
        event: .cityAdded(.init(id: london, name: "London"))),
      Expected(
        position: 1, path: [1], stream: "parks", revision: 0, time: times.0,
        event: .parkAdded(.init(name: "Hyde", city: london, area: 142, opened: opened, trees: 12))),
      Expected(position: 2, stream: "visits", revision: 0, time: times.0, event: .visited(.init(n: 1))),
      Expected(
        position: 3, path: [0], stream: "parks", revision: 1, time: times.1, id: GoldenCities.id(7),
        metadata: ["user": "7"], event: .cityAdded(.init(id: bath, name: "Bath"))),
      Expected(
        position: 3, path: [1], stream: "parks", revision: 1, time: times.1, id: GoldenCities.id(7),
        metadata: ["user": "7"],
        event: .parkAdded(.init(name: "Royal Victoria", city: bath, area: 23.5, opened: nil, trees: 12))),
      Expected(
        position: 4, stream: "parks", revision: 2, time: times.1,
        event: .pathPaved(
          .init(
            note: nil, place: "e\u{301}", surface: .mixed(.gravel, over: .other), metres: [0, 65_535],
            labels: ["b": -1, "aa": 24]))),
      Expected(position: 5, stream: "visits", revision: 1, time: times.1, event: .visited(.init(n: .min))),
      Expected(
        position: 6, path: [0], stream: "parks", revision: 3, time: times.1,
        event: .parkAdded(.init(name: "Kensington", city: london, area: 111.25, opened: opened, trees: 12))),
      Expected(
        position: 7, stream: "cities", revision: 0, time: times.2,
        event: .cityAdded(.init(id: york, name: "York"))),
      Expected(
        position: 8, stream: "parks", revision: 4, time: times.2,
        event: .pathPaved(
          .init(note: nil, place: "Museum Gardens", surface: .gravel, metres: [], labels: [:]))),
      Expected(
        position: 9, stream: "parks", revision: 5, time: times.3,
        event: .pathPaved(
          .init(note: "wet", place: "Rowntree", surface: .other, metres: [70_000], labels: [:]))),
      Expected(
        position: 10, stream: "parks", revision: 6, time: times.3,
        event: .parkAdded(.init(name: "Rowntree", city: york, area: 0.1, opened: nil, trees: 300))),
    ]
  }

  /// Writes the store at `url` as the first release did: by an import, and by programs of the three versions.
  static func write(to url: URL) async throws {
    try GoldenStore.create(at: url)
    let log = try EventLog(at: url)
    let time = try Timestamp(parsing: times.0)
    for (stream, stored) in zip(["parks", "visits"] as [StreamName], stored) {
      try await log.append(
        [NewEntry(type: stored.type, version: nil, payload: try Payload(stored.payload), time: time)],
        to: stream)
    }
    var activating = StoreOptions()
    activating.activating = true
    activating.dropFields = ["Visited.by"]
    try await writeFirst(EventStore(at: url, plan: GoldenPlan1.self, options: activating))
    try await writeSecond(EventStore(at: url, plan: GoldenPlan2.self, options: activating))
    try await writeDraft(EventStore(at: url, plan: GoldenPlan3.self))
  }

  private static func writeFirst(_ store: EventStore<GoldenPlan1>) async throws {
    let time = try Timestamp(parsing: times.1).date
    try await store.append { call in
      call.append(
        [
          NewEvent(
            .parkAdded(.init(name: "Royal Victoria", city: "Bath", area: 23.5, opened: nil)),
            id: GoldenCities.id(7), metadata: ["user": "7"], time: time),
          NewEvent(
            .pathPaved(
              .init(
                park: "e\u{301}", surface: .mixed(.gravel, over: .other), metres: [0, 65_535],
                labels: ["b": -1, "aa": 24])), time: time),
        ], to: "parks")
      call.append([NewEvent(.visited(.init(n: .min)), time: time)], to: "visits")
    }
    try await store.append(
      [
        NewEvent(
          .parkAdded(.init(name: "Kensington", city: "London", area: 111.25, opened: opened)), time: time)
      ], to: "parks")
  }

  private static func writeSecond(_ store: EventStore<GoldenPlan2>) async throws {
    let time = try Timestamp(parsing: times.2).date
    try await store.append(
      [NewEvent(.cityAdded(.init(id: GoldenCities.id(99), name: "York")), time: time)], to: "cities")
    try await store.append(
      [
        NewEvent(
          .pathPaved(.init(park: "Museum Gardens", surface: .gravel, metres: [], labels: [:])), time: time)
      ], to: "parks")
  }

  private static func writeDraft(_ store: EventStore<GoldenPlan3>) async throws {
    let time = try Timestamp(parsing: times.3).date
    try await store.append(
      [
        NewEvent(
          .pathPaved(
            .init(note: "wet", place: "Rowntree", surface: .other, metres: [70_000], labels: [:])), time: time
        ),
        NewEvent(
          .parkAdded(
            .init(name: "Rowntree", city: GoldenCities.id(99), area: 0.1, opened: nil, trees: 300)),
          time: time),
      ], to: "parks")
  }
}
