import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// Records with and without tags, and one that can refuse to be encoded.
@Schema(1, 0, 0) enum DirectV1 {
  @Record struct Noted { var text: String; var number: Int }
  @Record struct Tagged { @Field(tag: "course") var course: String; @Field(tag: "room") var rooms: [String] }
  struct Named: Record, Codable {
    struct Refusal: Error {}
    var text: String

    init(text: String) { self.text = text }
    enum CodingKeys: String, CodingKey { case text }
    func encode(to encoder: any Encoder) throws {
      if text == "refused" { throw Refusal() }
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
    }
  }
}

enum DirectPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<DirectV1, DirectV1> {}
}

/// Events whose own code encodes them, compared with the same events through the general form of a call.
@Suite struct DirectAppendTests {
  typealias Event = DirectV1.Event

  private static func event(_ random: inout SeededGenerator) -> Event {
    let text = String(repeating: "ä", count: Int.random(in: 0..<40, using: &random))
    return switch Int.random(in: 0..<3, using: &random) {
    case 0: .noted(.init(text: text, number: Int.random(in: -9...9, using: &random)))
    case 1:
      .tagged(.init(course: "c\(text)", rooms: (0..<Int.random(in: 0..<4, using: &random)).map { "r\($0)" }))
    default: .named(.init(text: text))
    }
  }

  /// The entries of a log, without their times.
  private static func stored(_ log: EventLog) throws -> [String] {
    try log.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var lines: [String] = []
      while let entry = try entries.next() {
        lines.append(
          """
          \(entry.position) \(entry.stream) \(entry.revision)
          \(entry.type) \(entry.version?.description ?? "-")
          \(entry.content) \(entry.tags) \(entry.isEndOfCall)
          """)
      }
      return lines
    }
  }

  @Test(arguments: RunLength.seeds(20)) func `both forms store the same`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let (direct, general) = (try TemporaryStore(), try TemporaryStore())
    let first = try EventStore(at: direct.url, plan: DirectPlan.self)
    let second = try EventStore(at: general.url, plan: DirectPlan.self)
    for _ in 0..<6 {
      let parts = (0..<Int.random(in: 1..<5, using: &random)).map { _ in
        (
          StreamName("s\(Int.random(in: 0..<3, using: &random))"),
          (0..<Int.random(in: 0..<6, using: &random)).map { _ in Self.event(&random) }
        )
      }
      try await first.append { call in
        for (stream, events) in parts { call.append(events, to: stream) }
      }
      try await second.append { call in
        for (stream, events) in parts { call.append(events.map { NewEvent($0) }, to: stream) }
      }
    }
    #expect(try Self.stored(first.log) == Self.stored(second.log), "seed \(seed)")
    #expect(try EventLog.verify(direct.url).isClean)
  }

  /// The error of a call, by both forms; the first event of the call is fine.
  private func failures(
    _ event: Event, to stream: StreamName = "s", _ options: StoreOptions = StoreOptions()
  ) async throws -> [AnnalsError] {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: DirectPlan.self, options: options)
    let fine = Event.noted(.init(text: "fine", number: 1))
    let direct = await #expect(throws: AnnalsError.self) {
      try await store.append { call in
        call.append([fine], to: "other")
        call.append([fine, event, fine], to: stream)
        call.append([fine], to: "last")
      }
    }
    let general = await #expect(throws: AnnalsError.self) {
      try await store.append { call in
        call.append([NewEvent(fine)], to: "other")
        call.append([NewEvent(fine), NewEvent(event), NewEvent(fine)], to: stream)
        call.append([NewEvent(fine)], to: "last")
      }
    }
    #expect(try Self.stored(store.log) == [], "nothing of a refused call is stored")
    return [try #require(direct), try #require(general)]
  }

  @Test func `both forms refuse the same, with the same words`() async throws {
    var small = StoreOptions()
    small.maximumPayload = 100
    let long = String(repeating: "x", count: 200)
    let rooms = (0..<70).map { "r\($0)" }
    for (errors, code) in [
      (try await failures(.named(.init(text: "refused"))), AnnalsError.Code.malformed),
      (try await failures(.noted(.init(text: long, number: 1)), small), .tooLarge),
      (try await failures(.tagged(.init(course: "c", rooms: rooms))), .tooLarge),
      (
        try await failures(.tagged(.init(course: String(repeating: "c", count: 600), rooms: []))),
        .invalidName
      ),
      (try await failures(.named(.init(text: "a")), to: ""), .invalidName),
      (try await failures(.named(.init(text: "a")), to: "$annals"), .invalidName),
    ] {
      #expect(errors.map(\.code) == [code, code])
      #expect(errors[0].message == errors[1].message)
      #expect("\(errors[0].details)" == "\(errors[1].details)")
    }
  }
}
