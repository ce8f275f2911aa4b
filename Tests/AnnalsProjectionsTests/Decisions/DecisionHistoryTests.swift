import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Random histories of decisions. Every event has the revisions that its writer read in its metadata.
@Suite struct DecisionHistoryTests {
  private static let streams: [StreamName] = ["a", "b", "c", "d", "e"]

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_DECISION_SEEDS", usual: 4)))
  func `For every stored event, the streams of its decision had exactly the revisions that it read`(
    seed: UInt64
  ) async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: VaultPlanV1.self, options: .relaxedCommits)
    let written = try await withThrowingTaskGroup(of: Int.self) { group in
      for writer in 0..<12 {
        group.addTask {
          var written = 0
          var generator = SeededGenerator(seed: seed * 1_000 + UInt64(writer))
          for _ in 0..<20 {
            written += try await Self.act(store, &generator)
          }
          return written
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(try Self.check(store) == written, "seed \(seed)")
    #expect(try EventLog.verify(place.url).isClean, "seed \(seed)")
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_DECISION_SEEDS", usual: 2)))
  func `The same holds for three processes, of which two are killed amid their decisions`(
    seed: UInt64
  ) async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: VaultPlanV1.self)
    async let first: Void = Self.actUntilKilled(place.url.path, seed: 2 * seed)
    async let second: Void = Self.actUntilKilled(place.url.path, seed: 2 * seed + 1)
    try await Self.act(store, seed: 1_000 + seed)
    _ = await (first, second)
    #expect(try Self.check(store) > 20, "seed \(seed)")
    #expect(try EventLog.verify(place.url).isClean, "seed \(seed)")
  }

  private static func actUntilKilled(_ path: String, seed: UInt64) async {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, seed = seed as UInt64] in
      let store = try EventStore(at: URL(fileURLWithPath: path), plan: VaultPlanV1.self)
      async let acts: Void = DecisionHistoryTests.act(store, seed: seed)
      try await Task.sleep(for: .milliseconds(20 + Int(seed) * 7 % 40))
      kill(getpid(), SIGKILL)
      try await acts
    }
  }

  /// Acts twenty times in each of six tasks.
  private static func act(_ store: EventStore<VaultPlanV1>, seed: UInt64) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<6 {
        group.addTask {
          var generator = SeededGenerator(seed: seed * 1_000 + UInt64(writer))
          for _ in 0..<20 { _ = try await act(store, &generator) }
        }
      }
      try await group.waitForAll()
    }
  }

  /// Decides on random streams, or appends to one without a decision.
  ///
  /// - Returns: The number of events.
  private static func act(
    _ store: EventStore<VaultPlanV1>, _ generator: inout SeededGenerator
  ) async throws -> Int {
    if Int.random(in: 0..<6, using: &generator) == 0 {
      // Such an append takes no turn, and overtakes decisions.
      let stream = streams.randomElement(using: &generator) ?? "a"
      return try await store.append([.inspected(.init(by: "nobody"))], to: stream).positions.count
    }
    let read = Array(
      streams.shuffled(using: &generator).prefix(Int.random(in: 1...4, using: &generator)))
    let targets = (0..<Int.random(in: 0...3, using: &generator)).compactMap { _ in
      read.randomElement(using: &generator)
    }
    do {
      return try await store.decide(Vault.self, on: read, attempts: 50) { states in
        var metadata = Metadata()
        for stream in read {
          let revision = try states.loaded(stream).revision.map { Int($0.rawValue) } ?? -1
          metadata[stream.text] = CBOR(revision)
        }
        var events = DecidedEvents<VaultV1.Event>()
        for target in targets {
          events.append([NewEvent(.deposited(.init(amount: 1)), metadata: metadata)], to: target)
        }
        return events
      }.positions.count
    } catch let error as AnnalsError where error.code == .conflict {
      return 0
    }
  }

  /// Compares every event with the revisions that streams had before its call.
  ///
  /// - Returns: The number of events.
  private static func check(_ store: EventStore<VaultPlanV1>) throws -> Int {
    var revisions: [StreamName: Int] = [:]
    /// The revisions before the call that the last event was of, and its metadata.
    var before: [StreamName: Int] = [:]
    var last = Metadata()
    var count = 0
    try store.read { snapshot throws(AnnalsError) in
      try snapshot.entries().forEach { (entry) throws(AnnalsError) in
        count += 1
        if !entry.metadata.isEmpty {
          // The events of one call follow each other, and have the same metadata. Those of two calls do not,
          // because the first one changes a stream that both have read.
          if last != entry.metadata { before = revisions }
          for stream in streams {
            guard let read = entry.metadata[stream.text] else { continue }
            #expect(read == CBOR(before[stream] ?? -1), "position \(entry.position), stream \(stream)")
          }
          #expect(entry.metadata[entry.stream.text] != nil, "position \(entry.position)")
        }
        last = entry.metadata
        revisions[entry.stream] = Int(entry.revision.rawValue)
      }
    }
    return count
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_DECISION_SEEDS", usual: 4)))
  func `For every stored event, nothing matched the query of its decision between its reading and its place`(
    seed: UInt64
  ) async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: SeatCoursesPlan.self, options: .relaxedCommits)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<12 {
        group.addTask {
          var generator = SeededGenerator(seed: seed * 1_000 + UInt64(writer))
          for step in 0..<15 {
            let booking = Booking(
              course: "c\(Int.random(in: 0..<4, using: &generator))",
              student: "s\(Int.random(in: 0..<4, using: &generator))")
            let other: SeatCoursesV1.Event = .left(.init(course: booking.course, student: "none"))
            do {
              try await store.decide(Noting(), matching: booking.query, attempts: 50) { noted in
                // Now and then another event comes between.
                if step % 5 == 0, noted.matched.count % 2 == 0 { try store.append([other], to: "others") }
                var events = DecidedEvents<SeatCoursesV1.Event>()
                let metadata: Metadata = ["matched": CBOR(noted.matched.count)]
                let event: SeatCoursesV1.Event = .enrolled(
                  .init(course: booking.course, student: booking.student))
                events.append([NewEvent(event, metadata: metadata)], to: "enrolments")
                return events
              }
            } catch let error as AnnalsError where error.code == .conflict {}
          }
        }
      }
      try await group.waitForAll()
    }
    // An oracle that knows no index: it compares every event with the query.
    var earlier: [Entry<SeatCoursesV1.Event>] = []
    var checked = 0
    try store.read { snapshot throws(AnnalsError) in
      try snapshot.entries().forEach { (entry) throws(AnnalsError) in
        if case .enrolled(let enrolment) = entry.event, let matched = entry.metadata["matched"] {
          let count = earlier.count { Self.matches($0.event, enrolment) }
          #expect(matched == CBOR(count), "seed \(seed), position \(entry.position)")
          checked += 1
        }
        earlier.append(entry)
      }
    }
    #expect(checked > 50, "seed \(seed)")
  }

  /// The events that matched a query.
  private struct Noting: DecisionModel {
    var matched: [Position] = []
    mutating func apply(_ entry: Entry<SeatCoursesV1.Event>) { matched.append(entry.position) }
  }

  /// Whether an event matches the query for an enrolment.
  private static func matches(_ event: SeatCoursesV1.Event, _ enrolment: SeatCoursesV1.Enrolled) -> Bool {
    switch event {
    case .courseOffered(let offer): offer.course == enrolment.course
    case .enrolled(let other): other.course == enrolment.course || other.student == enrolment.student
    case .left(let other): other.course == enrolment.course || other.student == enrolment.student
    }
  }
}
