import Annals
import AnnalsTesting
import Foundation
import Testing

@Schema(1, 0, 0) enum ReadingsV1 {
  @Value enum Quality: Equatable { case good, poor }
  @Value struct Place: Equatable {
    var name: String
    var floor: Int?
  }
  @Record struct ReadingTaken: Equatable {
    var sensor: String
    var value: Double
    var place: Place
    var quality: Quality
  }
}

@Schema(1, 1, 0) enum ReadingsV2 {
  @Record struct ReadingTaken: Equatable {
    var sensor: String
    var value: AnyValue
    var place: AnyValue
    var quality: AnyValue?
  }
}

@Schema(2, 0, 0) enum ReadingsV3 {
  @Record struct ReadingTaken: Equatable {
    var sensor: String
    var value: Double?
    var place: AnyValue
    var quality: AnyValue?
  }
}

enum ReadingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ReadingsV1, ReadingsV3> {
    MigrationStage.lightweight(fromVersion: ReadingsV1.self, toVersion: ReadingsV2.self)
    MigrationStage.custom(fromVersion: ReadingsV2.self, toVersion: ReadingsV3.self) {
      Keep(\.readingTaken, to: \.readingTaken, changing: \.value) { old, _ in
        old.value.number ?? old.value.text.flatMap(Double.init)
      }
    }
  }
}

/// The plan of the program in between.
enum AnyReadingPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ReadingsV1, ReadingsV2> {
    MigrationStage.lightweight(fromVersion: ReadingsV1.self, toVersion: ReadingsV2.self)
  }
}

extension ReadingsV2.Event: Equatable {}
extension ReadingsV3.Event: Equatable {}
extension ReadingsV1.ReadingTaken {
  static var samples: [Self] {
    [
      .init(sensor: "a", value: 1.5, place: .init(name: "hall", floor: nil), quality: .poor),
      .init(sensor: "", value: -0.0, place: .init(name: "e\u{301}", floor: -1), quality: .good),
    ]
  }
}
extension ReadingsV2.ReadingTaken {
  static var samples: [Self] {
    [
      .init(sensor: "b", value: "n/a", place: .null, quality: nil),
      .init(sensor: "c", value: [1, ["x": 2.0]], place: ["name": "attic"], quality: 5),
    ]
  }
}

@Suite struct AnyValueRecipeTests {
  @Test func `a field of any type becomes any value, and a later rule gives it a type again`() async throws {
    let place = try TemporaryStore()
    try await place.write(
      [.readingTaken(.init(sensor: "a", value: 21.5, place: .init(name: "hall", floor: 2), quality: .poor))],
      as: ReadingsV1.self)
    #expect(
      try place.read(AnyReadingPlan.self) == [
        .readingTaken(
          .init(sensor: "a", value: 21.5, place: ["name": "hall", "floor": 2], quality: "poor"))
      ])
    do {
      let store = try EventStore(at: place.url, plan: AnyReadingPlan.self)
      try await store.append(
        [
          .readingTaken(.init(sensor: "b", value: "22.5", place: .null, quality: nil)),
          .readingTaken(.init(sensor: "b", value: "n/a", place: [1], quality: 5)),
        ], to: "all")
    }
    let read: [ReadingsV3.Event] = [
      .readingTaken(.init(sensor: "a", value: 21.5, place: ["name": "hall", "floor": 2], quality: "poor")),
      .readingTaken(.init(sensor: "b", value: 22.5, place: .null, quality: nil)),
      .readingTaken(.init(sensor: "b", value: nil, place: [1], quality: 5)),
    ]
    #expect(try place.read(ReadingPlan.self) == read)
    do {
      let store = try EventStore(at: place.url, plan: ReadingPlan.self)
      _ = try await store.migrate().report()
    }
    #expect(try place.read(OneSchema<ReadingsV3>.self) == read)
  }

  @Test func `all ways to read a sample agree`() async throws {
    try await MigrationHarness(ReadingPlan.self).check(requiringSamples: false)
  }

  @Test func `lines of JSON keep every number, and come back as the same events`() async throws {
    let values: [AnyValue] = [
      1, 1.0, -0.0, 1e300, .unsigned(.max), .negative(1 << 63 - 1), "1", .null, .bytes([0, 255]),
      .double(.infinity), ["$bytes": "user's own"], [["deep": [.null, true]]], 0.1,
    ]
    let events = values.map {
      ReadingsV2.Event.readingTaken(.init(sensor: "s", value: $0, place: [$0], quality: nil))
    }
    let (place, copy) = (try TemporaryStore(), try TemporaryStore())
    try await place.write(events, as: ReadingsV2.self)
    var dumped: [UInt8] = []
    do {
      var pages = try EntryLines(EventLog(at: place.url))
      while let page = try pages.nextPage() { dumped += page }
    }
    let lines = String(decoding: dumped, as: UTF8.self).split(separator: "\n")
    #expect(lines.count == values.count)
    #expect(lines[0].contains(#""value":1,"#) || lines[0].contains(#""value":1}"#), "\(lines[0])")
    #expect(lines[1].contains(#""value":1.0"#), "\(lines[1])")
    #expect(lines[4].contains(#""value":18446744073709551615"#), "\(lines[4])")
    do {
      let log = try EventLog(at: copy.url)
      var input: [UInt8]? = dumped
      _ = try await log.importLines { () throws(AnnalsError) in
        defer { input = nil }
        return input
      }
    }
    #expect(try copy.read(OneSchema<ReadingsV2>.self) == events)
  }
}
