import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Contexts and comparisons of stages around one that moves streams.
@Suite(.serialized) struct StreamStageTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  @Test func `rules around and after it use the context computed from the log`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      for n in 0..<30 { try await store.append([.weighed(.init(n: n))], to: "user \(n % 3)") }
    }
    let refused = await #expect(throws: AnnalsError.self) { try await place.migrate(CountingPlan.self) }
    #expect(refused?.code == .requiresActivation)
    try await place.migrate(CountingPlan.self, activating: true)
    let store = try EventStore(at: place.url, plan: CountingPlan.self)
    let texts = try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries(in: "athlete-1")
      var all: [String] = []
      while let entry = try entries.next() {
        if case .weighed(let it) = entry.event { all.append(it.place) }
      }
      return all
    }
    // 30 entries are in 3 streams before the stage, and in 2 after it. The rule of the first stage sees the
    // former streams, and that of the last one the current streams.
    #expect(texts == (0..<20).map { _ in "3 then 2" })
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a stage compares the old log and the new one with its streams`() async throws {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      try await store.append([.weighed(.init(n: 1)), .lifted(.init(n: 2, sets: 2))], to: "user 0")
      try await store.append([.noted(.init(n: 3))], to: "club")
    }
    ComparedStreams.seen.withLock { $0 = [] }
    try await place.migrate(ComparedPlan.self)
    #expect(
      ComparedStreams.seen.withLock { $0 } == [
        "old user 0 0", "old user 0 1", "old club 0", "new athlete-0 0", "new athlete-0 1", "new athlete-0 1",
        "new club 0",
      ])
  }

  @Test(arguments: [false, true])
  func `an entry that a rule cannot take is set aside in its target stream`(isLost: Bool) async throws {
    do {
      let store = try EventStore(at: place.url, plan: ClubFirst.self)
      try await store.append(
        [.weighed(.init(n: 1)), .noted(.init(n: 2)), .weighed(.init(n: 3))], to: "user 0")
    }
    Choosy.isLost.withLock { $0 = isLost }
    let refused = await #expect(throws: AnnalsError.self) { try await place.migrate(ChoosyPlan.self) }
    #expect(refused?.code == .ruleFailed && refused?.details.position == 2)
    var options = MigrationOptions()
    options.unreadable = .quarantine
    try await place.migrate(ChoosyPlan.self, options)
    // If it cannot be upcast to the stage, the rule for streams sees no events.
    #expect(
      try place.open().places().scanned == [
        "1 first 0 false", isLost ? "2 none 0 false" : "2 first 1 false",
        "3 first \(isLost ? 1 : 2) false",
      ])
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [])
    let error = #expect(throws: AnnalsError.self) {
      let store = try EventStore(at: place.url, plan: ChoosyPlan.self)
      try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        while try entries.next() != nil {}
      }
    }
    #expect(error?.code == .ruleFailed && error?.details.position == 2)
    // After the rule is repaired, the entry is in the stream where it was left.
    Choosy.isMended.withLock { $0 = true }
    defer { Choosy.isMended.withLock { $0 = false } }
    try await place.migrate(ChoosyPlan.self)
    #expect(try place.open().places().scanned[1].contains(isLost ? " none 0 " : " first 1 "))
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [])
  }
}

/// Counts streams before and after a stage that merges some.
private enum CountingPlan: SchemaMigrationPlan {
  struct Count: StageContext { var streams: Int }

  @Schema(1, 1, 0) enum Before {
    typealias Lifted = ClubV1.Lifted
    typealias Noted = ClubV1.Noted
    @Record struct Weighed {
      var n: Int
      var place: String
    }
  }
  @Schema(1, 2, 0) enum Moved {
    typealias Lifted = Before.Lifted
    typealias Noted = Before.Noted
    typealias Weighed = Before.Weighed
  }
  @Schema(1, 3, 0) enum Behind {
    typealias Lifted = Moved.Lifted
    typealias Noted = Moved.Noted
    @Record struct Weighed {
      var n: Int
      var place: String
    }
  }

  static var stages: MigrationChain<ClubV1, Behind> {
    MigrationStage.custom(
      fromVersion: ClubV1.self, toVersion: Before.self,
      prepare: { history in
        Count(streams: try history.reduce(into: Set<StreamName>()) { $0.insert($1.stream) }.count)
      }
    ) {
      Upcast(\.weighed, to: \.weighed) { old, _, count in .init(n: old.n, place: "\(count.streams)") }
    }
    MigrationStage.custom(fromVersion: Before.self, toVersion: Moved.self) {
      Streams { _, origin in
        .moves(
          to: origin.stream == "user 2" ? "athlete-1" : StreamName("athlete-\(origin.stream.text.suffix(1))"))
      }
    }
    MigrationStage.custom(
      fromVersion: Moved.self, toVersion: Behind.self,
      prepare: { history in
        Count(streams: try history.reduce(into: Set<StreamName>()) { $0.insert($1.stream) }.count)
      }
    ) {
      Upcast(\.weighed, to: \.weighed) { old, _, count in
        .init(n: old.n, place: "\(old.place) then \(count.streams)")
      }
    }
  }
}

/// Notes what its `verify` is given.
private enum ComparedStreams {
  static let seen = Mutex<[String]>([])
}

private enum ComparedPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<ClubV1, ClubV2> {
    MigrationStage.custom(
      fromVersion: ClubV1.self, toVersion: ClubV2.self,
      verify: { old, new in
        try old.forEach { entry in
          ComparedStreams.seen.withLock { $0.append("old \(entry.stream) \(entry.revision)") }
        }
        try new.forEach { entry in
          ComparedStreams.seen.withLock { $0.append("new \(entry.stream) \(entry.revision)") }
        }
      }
    ) {
      Split(\.lifted, into: [\.setLifted]) { old, _ in (0..<old.sets).map { _ in .setLifted(.init(n: old.n)) }
      }
      Streams { _, origin in origin.stream == "user 0" ? .moves(to: "athlete-0") : .stays }
    }
  }
}

/// Which rule fails.
private enum Choosy {
  /// Whether it is the one before the stage that moves streams.
  static let isLost = Mutex(false)
  static let isMended = Mutex(false)

  struct Refused: Error {}

  static func check(_ n: Int, isBefore: Bool) throws {
    if n == 2, isLost.withLock({ $0 }) == isBefore, !isMended.withLock({ $0 }) { throw Refused() }
  }
}

private enum ChoosyPlan: SchemaMigrationPlan {
  @Schema(1, 1, 0) enum Before {
    typealias Weighed = ClubV1.Weighed
    typealias Lifted = ClubV1.Lifted
    @Record struct Noted { var n: Int }
  }
  @Schema(1, 2, 0) enum Behind {
    typealias Weighed = Before.Weighed
    typealias Lifted = Before.Lifted
    @Record struct Noted { var n: Int }
  }

  static var stages: MigrationChain<ClubV1, Behind> {
    MigrationStage.custom(fromVersion: ClubV1.self, toVersion: Before.self) {
      Upcast(\.noted, to: \.noted) { old, _ in
        try Choosy.check(old.n, isBefore: true)
        return .init(n: old.n)
      }
    }
    MigrationStage.custom(fromVersion: Before.self, toVersion: Behind.self) {
      Upcast(\.noted, to: \.noted) { old, _ in
        try Choosy.check(old.n, isBefore: false)
        return .init(n: old.n)
      }
      Streams { events, _ in .moves(to: events.isEmpty ? "none" : "first") }
    }
  }
}
