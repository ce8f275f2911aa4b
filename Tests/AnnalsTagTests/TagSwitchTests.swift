import Annals
import Foundation
import Synchronization
import Testing

@testable import AnnalsLog
@testable import AnnalsMigration

/// Conditional appends and queries while a pass runs and the generation switches.
@Suite struct TagSwitchTests {
  private static func event(_ tags: [EventTag], _ type: String = "Noted") -> NewEntry {
    NewEntry(type: type, version: nil, payload: Payload(stored: [0xa0]), tags: tags)
  }

  private static func positions(_ log: EventLog, _ query: LogQuery) throws -> [UInt64] {
    try log.read { snapshot in
      var found: [UInt64] = []
      var entries = try snapshot.entries(matching: query)
      while let entry = try entries.next() { found.append(entry.position.rawValue) }
      return found
    }
  }

  /// Runs `body` at the first time that a pass is at a point.
  private static func options(at point: PassPoint, _ body: @escaping @Sendable () -> Void) -> MigrationOptions
  {
    let isDone = Atomic(false)
    var options = MigrationOptions()
    options.batch = 10
    options.durableBatch = 10
    let once = Once(isDone)
    options.atPoint = { if $0 == point, once.isFirst() { body() } }
    return options
  }

  private final class Once: Sendable {
    private let isDone: Atomic<Bool>
    init(_ isDone: consuming Atomic<Bool>) { self.isDone = isDone }
    func isFirst() -> Bool { !isDone.exchange(true, ordering: .relaxed) }
  }

  @Test(arguments: [PassPoint.locked, .lastRound, .sealed])
  func `a condition that waits in line while the generation switches is compared in the new one`(
    point: PassPoint
  ) async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    let other = try EventLog(at: place.url)
    for number in 0..<60 { try await log.append([Self.event(number % 4 == 0 ? ["t"] : ["u"])], to: "events") }
    // The heads of both are in the memory of both writers.
    try await other.append([Self.event(["t", "u"])], to: "events")
    let calls = Mutex<[Task<Result<Appended, AnnalsError>, Never>]>([])
    let run = try log.compact(
      Self.options(at: point) {
        for number in 0..<6 {
          let target = number % 2 == 0 ? log : other
          calls.withLock {
            $0.append(
              Task.detached {
                do throws(AnnalsError) {
                  return .success(
                    try await target.append(
                      [Self.event(["t", "late"])], unless: [LogQuery.Item(tags: ["late"])], after: 61))
                } catch { return .failure(error) }
              })
          }
        }
        usleep(60_000)
      })
    #expect(try await run.report().isDone)
    var stored: [UInt64] = []
    var refused: [UInt64?] = []
    for call in calls.withLock({ $0 }) {
      switch await call.value {
      case .success(let done): stored += done.positions.map(\.rawValue)
      case .failure(let error):
        #expect(error.code == .conflict, "\(error)")
        refused.append(error.details.position?.rawValue)
      }
    }
    #expect(stored == [62])
    #expect(refused == Array(repeating: 62, count: 5))
    #expect(try EventLog.inspect(place.url).generation == 2)
    for log in [log, other] {
      #expect(try Self.positions(log, [.init(tags: ["t"])]) == (0..<15).map { 4 * $0 + 1 } + [61, 62])
      #expect(try Self.positions(log, [.init(tags: ["late"])]) == [62])
    }
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test(arguments: [PassPoint.created, .batchCommitted, .copied, .verified, .locked])
  func `the first event with tags may come at any point of a pass`(point: PassPoint) async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    for _ in 0..<60 { try await log.append([Self.event([])], to: "events") }
    let calls = Mutex<[Task<Result<Appended, AnnalsError>, Never>]>([])
    let run = try log.compact(
      Self.options(at: point) {
        calls.withLock {
          $0.append(
            Task.detached {
              do throws(AnnalsError) {
                return .success(
                  try await log.append([Self.event(["t"])], unless: [LogQuery.Item(tags: ["t"])]))
              } catch { return .failure(error) }
            })
        }
        usleep(60_000)
      })
    #expect(try await run.report().isDone)
    #expect(try EventLog.inspect(place.url).generation == 2)
    for call in calls.withLock({ $0 }) { #expect(try await call.value.get().position == 61) }
    #expect(try Self.positions(log, [.init(tags: ["t"])]) == [61])
    #expect(try EventLog.verify(place.url).isClean)
    _ = try await log.compact().report()
    #expect(try Self.positions(log, [.init(tags: ["t"])]) == [61])
    #expect(try EventLog.verify(place.url).isClean)
    let error = await #expect(throws: AnnalsError.self) {
      try await log.append([Self.event(["t"])], unless: [LogQuery.Item(tags: ["t"])])
    }
    #expect(error?.details.position == 61)
  }

  @Test func `a read by tags goes on in the next generation, and after a rollback`() async throws {
    let place = try TemporaryStore(in: TemporaryDirectory.memory)
    let log = try EventLog(at: place.url)
    for number in 0..<900 { try await log.append([Self.event(number % 2 == 0 ? ["t"] : [])], to: "events") }
    for backwards in [false, true] {
      var found: [UInt64] = []
      for try await entry in log.entries(matching: [LogQuery.Item(tags: ["t"])], backwards: backwards) {
        found.append(entry.position.rawValue)
        if found.count == 100 { _ = try await log.compact().report() }
        if found.count == 300 { try await log.append([Self.event(["t"])], to: "events") }
      }
      let expected = (0..<450).map { UInt64(2 * $0 + 1) } + (backwards ? [901] : [])
      #expect(found == (backwards ? expected.reversed() : expected))
    }
    #expect(try EventLog.verify(place.url).isClean)
  }
}
