import AnnalsTestSupport
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

@Schema(1, 0, 0) enum BeatV1 {
  @Record struct Beaten { var number: Int }
}

@Schema(2, 0, 0) enum BeatV2 {
  @Record struct Beaten { var number: Int; var part: Int }
}

private enum BeatPlanV1: SchemaMigrationPlan {
  static var stages: MigrationChain<BeatV1, BeatV1> {}
}

/// A number becomes as many events as its remainder by 3, and 1,070 becomes an error.
private enum BeatPlan: SchemaMigrationPlan {
  struct Refusal: Error {}

  static var stages: MigrationChain<BeatV1, BeatV2> {
    MigrationStage.custom(fromVersion: BeatV1.self, toVersion: BeatV2.self) {
      Split(\.beaten, into: [\.beaten]) { old, _ in
        if old.number == 1_070 { throw Refusal() }
        return (0..<old.number % 3).map { .beaten(.init(number: old.number, part: $0)) }
      }
    }
  }
}

/// The number and part of an event, for comparisons.
private struct Part: Equatable {
  let number, part: Int
  let stream: StreamName

  init(_ entry: Entry<BeatV2.Event>) {
    switch entry.event {
    case .beaten(let beat): (number, part) = (beat.number, beat.part)
    }
    stream = entry.stream
  }
}

@Suite struct StoreEntriesTests {
  /// A store that the first release has written: an event for each number, in four streams.
  private func store(_ numbers: Range<Int>) async throws -> (TemporaryStore, EventStore<BeatPlan>) {
    let place = try TemporaryStore()
    let first = try EventStore(at: place.url, plan: BeatPlanV1.self)
    try await first.append { call in
      for number in numbers { call.append([.beaten(.init(number: number))], to: "beat-\(number % 4)") }
    }
    return (place, try EventStore(at: place.url, plan: BeatPlan.self))
  }

  @Test(arguments: 1...5, [false, true])
  func `pages by position or revision have every part of a split`(limit: Int, backwards: Bool) async throws {
    let (place, store) = try await store(0..<60)
    defer { withExtendedLifetime(place) {} }
    let wanted = (0..<60).flatMap { number in (0..<number % 3).map { _ in number } }
    var paged: [Int] = []
    var (position, count) = (Position?.none, -1)
    while count < paged.count {
      count = paged.count
      for try await entry in store.entries(after: position, backwards: backwards, limit: limit) {
        paged.append(Part(entry).number)
        position = entry.position
      }
    }
    #expect(paged == (backwards ? wanted.reversed() : wanted))
    paged = []
    var (revision, known) = (Revision?.none, -1)
    while known < paged.count {
      known = paged.count
      paged += try store.read { (snapshot) throws(AnnalsError) in
        var page: [Int] = []
        var entries = try snapshot.entries(in: "beat-1", after: revision, backwards: backwards, limit: limit)
        while let entry = try entries.next() {
          page.append(Part(entry).number)
          revision = entry.revision
        }
        return page
      }
    }
    let part = wanted.filter { $0 % 4 == 1 }
    #expect(paged == (backwards ? part.reversed() : part))
  }

  @Test func `lending delivers the same entries as single steps, after any number of them`() async throws {
    let (place, store) = try await store(0..<500)
    defer { withExtendedLifetime(place) {} }
    var random = SeededGenerator(seed: RunLength.seed)
    for _ in 0..<100 {
      let steps = Int.random(in: 0...9, using: &random)
      let limit = Bool.random(using: &random) ? Int.random(in: -1...600, using: &random) : .max
      let backwards = Bool.random(using: &random)
      let stream = Bool.random(using: &random) ? "beat-\(Int.random(in: 0..<5, using: &random))" : nil
      try store.read { (snapshot) throws(AnnalsError) in
        var single: [Part] = []
        var lent: [Part] = []
        if let stream = stream.map({ StreamName($0) }) {
          var one = try snapshot.entries(in: stream, backwards: backwards, limit: limit)
          while let entry = try one.next() { single.append(Part(entry)) }
          var other = try snapshot.entries(in: stream, backwards: backwards, limit: limit)
          for _ in 0..<steps { if let entry = try other.next() { lent.append(Part(entry)) } }
          try other.forEach { lent.append(Part($0)) }
        } else {
          var one = try snapshot.entries(backwards: backwards, limit: limit)
          while let entry = try one.next() { single.append(Part(entry)) }
          var other = try snapshot.entries(backwards: backwards, limit: limit)
          for _ in 0..<steps { if let entry = try other.next() { lent.append(Part(entry)) } }
          try other.forEach { lent.append(Part($0)) }
        }
        #expect(lent == single, "\(steps) steps, limit \(limit), backwards \(backwards)")
        let all: [Int] = (0..<500).flatMap { number -> [Int] in
          let isRead = stream == nil || "beat-\(number % 4)" == stream
          return isRead ? [Int](repeating: number, count: number % 3) : []
        }
        let wanted = backwards ? all.reversed() : all
        #expect(single.map(\.number) == wanted.read(upTo: limit) { $0 })
      }
    }
  }

  @Test func `events before one that cannot be upcast come first, and others may follow`() async throws {
    let (place, store) = try await store(1_000..<1_100)
    defer { withExtendedLifetime(place) {} }
    let before = (1_000..<1_070).flatMap { number in (0..<number % 3).map { _ in number } }
    try store.read { (snapshot) throws in
      var lent: [Int] = []
      let error = #expect(throws: AnnalsError.self) {
        try snapshot.entries().forEach { lent.append(Part($0).number) }
      }
      #expect(error?.code == .ruleFailed)
      #expect(error?.details.position == 71)
      #expect(lent == before)

      var single: [Int] = []
      var entries = try snapshot.entries()
      do throws(AnnalsError) {
        while let entry = try entries.next() { single.append(Part(entry).number) }
        Issue.record("the rule has not failed")
      } catch {
        #expect(error.details.position == 71)
      }
      #expect(single == before)
      let next = try entries.next().map { Part($0).number }
      #expect(next == 1_072)
    }
  }

  @Test func `an error of the body ends the read with it`() async throws {
    struct Enough: Error {}
    let (place, store) = try await store(0..<100)
    defer { withExtendedLifetime(place) {} }
    var count = 0
    #expect(throws: Enough.self) {
      try store.read { (snapshot) throws in
        try snapshot.entries().forEach { _ in
          count += 1
          if count == 40 { throw Enough() }
        }
      }
    }
    #expect(count == 40)
  }
}
