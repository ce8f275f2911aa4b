import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

/// Conditional appends of many tasks at once, so that calls share commits: each answer is compared with the
/// log afterwards. Erasures and limits are in the same commits, and generations change in between.
@Suite(.serialized) struct ConcurrentConditionTests {
  /// An event that is stored.
  private struct Stored {
    var type: String
    var tags: Set<EventTag>
    /// The newest position before the first call that has erased it; `nil` if none has.
    var erased: UInt64?
  }

  /// The answer to a conditional call.
  private struct Answer {
    var query: LogQuery
    var after: UInt64
    /// The position of its first event; `nil` if it was refused.
    var first: UInt64?
    /// The position of the event that refused it.
    var match: UInt64?
    /// The newest position when the answer had come.
    var until: UInt64 = 0
  }

  /// What one task has done.
  private struct Work: Sendable {
    let log: EventLog
    let name: Int
    var random: SeededGenerator
    var stored: [UInt64: Stored] = [:]
    var answers: [Answer] = []
    /// Events that a call has erased, with the newest position before it.
    var erased: [(position: UInt64, before: UInt64)] = []

    init(_ log: EventLog, name: Int, seed: UInt64) {
      self.log = log
      self.name = name
      random = SeededGenerator(seed: seed)
    }

    private mutating func draw(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private var newest: UInt64 {
      get throws(AnnalsError) {
        try log.read { (snapshot) throws(AnnalsError) in try snapshot.head()?.rawValue ?? 0 }
      }
    }

    mutating func step() async throws {
      let head = try newest
      switch draw(16) {
      case 0 where head > 0:
        let position = UInt64.random(in: 1...head, using: &random)
        do throws(AnnalsError) {
          try log.erase([Position(position)], by: "test", because: "asked")
        } catch {
          // One process erases at a time.
          #expect(error.code == .busy, "\(error)")
          return
        }
        erased.append((position, head))
      case 1:
        do throws(AnnalsError) {
          if draw(3) == 0 { try await log.close("closed") } else { try await log.reopen("closed") }
        } catch {
          #expect(error.code == .noSuchStream, "\(error)")
        }
      default: try await append(head)
      }
    }

    private mutating func append(_ head: UInt64) async throws {
      var events: [NewEntry] = []
      for _ in 0..<1 + draw(3) {
        events.append(
          NewEntry(
            // Some types are new to the store.
            type: draw(20) == 0 ? "Type \(name) \(draw(50))" : TagSamples.types[draw(3)], version: nil,
            payload: Payload(stored: [0xa0]), id: draw(4) == 0 ? UUID() : nil,
            tags: Array(TagSamples.tags(using: &random)).shuffled(using: &random)))
      }
      let query = TagSamples.query(using: &random)
      let after: UInt64? =
        switch draw(8) {
        case 0: nil
        case 1: UInt64.random(in: 0...head, using: &random)
        case 2: head + UInt64(draw(6))
        case 3: .max
        default: head
        }
      let stream = StreamName(draw(10) == 0 ? "closed" : "stream \(draw(30))")
      var answer = Answer(query: query, after: after ?? 0)
      do {
        let done = try await log.append(events, to: stream, unless: query, after: after.map { Position($0) })
        for (event, position) in zip(events, done.positions) {
          stored[position.rawValue] = Stored(type: event.type, tags: Set(event.tags))
        }
        answer.first = done.positions.first?.rawValue
      } catch {
        if error.code == .streamClosed { return }
        #expect(error.code == .conflict, "\(error)")
        answer.match = error.details.position?.rawValue
      }
      answer.until = try newest
      answers.append(answer)
    }
  }

  @Test(arguments: RunLength.seeds(RunLength.count("ANNALS_CONCURRENT_CONDITIONS", usual: 3)))
  func `each answer is right for the calls before it, in whichever commits they are`(
    seed: UInt64
  ) async throws {
    print("concurrent conditions with seed \(seed)")
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    defer { withExtendedLifetime(place) {} }
    var options = StoreOptions()
    options.mergeInterval = HeadMerge.Interval(entries: 32)
    options.headMemory = 512
    var stored: [UInt64: Stored] = [:]
    var answers: [Answer] = []
    for round in 0..<4 {
      let logs = try (0..<2).map { _ in try EventLog(at: place.url, options: options) }
      let works = (0..<8).map { number in
        Work(logs[number % 2], name: number, seed: seed &* 100 &+ UInt64(round * 8 + number))
      }
      let done = try await withThrowingTaskGroup(of: Work.self) { group in
        for work in works {
          group.addTask {
            var work = work
            for _ in 0..<25 { try await work.step() }
            return work
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for work in done {
        stored.merge(work.stored) { first, _ in first }
        answers += work.answers
      }
      for (position, before) in done.flatMap(\.erased) {
        let known = stored[position]?.erased ?? .max
        stored[position]?.erased = min(known, before)
      }
      #expect(try EventLog.verify(place.url).isClean, "seed \(seed), round \(round)")
      if round % 2 == 0 { _ = try await logs[0].compact().report() }
      if round == 2 { _ = try EventLog.rollback(place.url) }
    }
    check(stored, answers, seed)
  }

  private func check(_ stored: [UInt64: Stored], _ answers: [Answer], _ seed: UInt64) {
    let positions = stored.keys.sorted()
    func matches(_ position: UInt64, _ query: LogQuery) -> Bool {
      guard let event = stored[position] else { return false }
      return query.items.contains {
        ($0.types.isEmpty || $0.types.contains(event.type)) && $0.tags.isSubset(of: event.tags)
      }
    }
    var refused = 0
    for answer in answers {
      // Of a refused call, the match was the first one at that time.
      guard let end = answer.first ?? answer.match else {
        Issue.record("seed \(seed): a refusal without a position")
        continue
      }
      if answer.match != nil {
        refused += 1
        let isRight = end > answer.after && matches(end, answer.query)
        #expect(isRight, "seed \(seed): \(end) does not match \(answer)")
      }
      for position in positions where position > answer.after && position < end {
        guard matches(position, answer.query) else { continue }
        // It may have been erased before.
        let isCertain = stored[position]?.erased.map { (answer.first ?? answer.until) <= $0 } ?? true
        #expect(!isCertain, "seed \(seed): \(position) matches \(answer)")
      }
    }
    #expect(refused > 50 && answers.count - refused > 100)
  }
}
