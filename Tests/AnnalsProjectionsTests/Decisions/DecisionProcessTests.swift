import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// Decisions of several processes on one store.
@Suite struct DecisionProcessTests {
  @Test func `Three processes of twenty-four tasks each book the seats that there are`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: SeatCoursesPlan.self)
    for course in 0..<4 {
      try await store.append([.courseOffered(.init(course: "c\(course)", seats: 20))], to: "courses")
    }
    async let first: Void = Self.bookElsewhere(place.url.path, "a")
    async let second: Void = Self.bookElsewhere(place.url.path, "b")
    try await Self.book(store, "here")
    _ = await (first, second)
    // 72 students want each of the courses, and 80 seats are there.
    #expect(try store.checkEnrolments() == 80)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `A process that is killed amid its decisions leaves nothing half done, and others go on`()
    async throws
  {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: SeatCoursesPlan.self)
    for course in 0..<4 {
      try await store.append([.courseOffered(.init(course: "c\(course)", seats: 20))], to: "courses")
    }
    async let killed: Void = Self.bookUntilKilled(place.url.path)
    try await Self.book(store, "here")
    _ = await killed
    // 24 students of this process want each of the courses, so all seats are taken in the end.
    #expect(try store.checkEnrolments() == 80)
    #expect(try EventLog.verify(place.url).isClean)
  }

  private static func bookUntilKilled(_ path: String) async {
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
      let store = try EventStore(at: URL(fileURLWithPath: path), plan: SeatCoursesPlan.self)
      async let booking: Void = DecisionProcessTests.book(store, "killed")
      try await Task.sleep(for: .milliseconds(30))
      kill(getpid(), SIGKILL)
      try await booking
    }
  }

  private static func bookElsewhere(_ path: String, _ name: String) async {
    await #expect(processExitsWith: .success) { [path = path as String, name = name as String] in
      let store = try EventStore(at: URL(fileURLWithPath: path), plan: SeatCoursesPlan.self)
      try await DecisionProcessTests.book(store, name)
    }
  }

  /// Lets twenty-four students try to enrol in all courses.
  private static func book(_ store: EventStore<SeatCoursesPlan>, _ name: String) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for student in 0..<24 {
        group.addTask {
          for course in 0..<4 {
            do {
              _ = try await store.enrol("\(name)-\(student)", in: "c\(course)", attempts: 10_000)
            } catch is Booking.Refusal {
              continue
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `Transfers of three processes between four accounts neither lose nor make money`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: VaultPlanV1.self)
    for account in 0..<4 {
      try await store.append([.deposited(.init(amount: 20))], to: StreamName("account/\(account)"))
    }
    async let first: Void = Self.transferElsewhere(place.url.path, 1)
    async let second: Void = Self.transferElsewhere(place.url.path, 2)
    try await Self.transfer(store, seed: 3)
    _ = await (first, second)
    var balances: [StreamName: Int] = [:]
    try store.read { snapshot throws(AnnalsError) in
      try snapshot.entries(streamPrefix: "account/").forEach { (entry) throws(AnnalsError) in
        switch entry.event {
        case .deposited(let deposit): balances[entry.stream, default: 0] += deposit.amount
        case .withdrawn(let withdrawal):
          balances[entry.stream, default: 0] -= withdrawal.amount
          #expect(balances[entry.stream, default: 0] >= 0, "position \(entry.position)")
        case .inspected: break
        }
      }
    }
    #expect(balances.values.sum() == 80)
    #expect(try EventLog.verify(place.url).isClean)
  }

  private static func transferElsewhere(_ path: String, _ seed: UInt64) async {
    await #expect(processExitsWith: .success) { [path = path as String, seed = seed as UInt64] in
      let store = try EventStore(at: URL(fileURLWithPath: path), plan: VaultPlanV1.self)
      try await DecisionProcessTests.transfer(store, seed: seed)
    }
  }

  /// Makes sixteen transfers between random accounts, in four tasks.
  private static func transfer(_ store: EventStore<VaultPlanV1>, seed: UInt64) async throws {
    struct Refused: Error {}
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          var generator = SeededGenerator(seed: seed * 100 + UInt64(task))
          for _ in 0..<4 {
            let accounts = (0..<4).shuffled(using: &generator).prefix(2).map { StreamName("account/\($0)") }
            let amount = Int.random(in: 1...30, using: &generator)
            do {
              try await store.decide(Vault.self, on: accounts, attempts: 10_000) { states in
                guard try states[accounts[0]].balance >= amount else { throw Refused() }
                return [
                  accounts[0]: [.withdrawn(.init(amount: amount))],
                  accounts[1]: [.deposited(.init(amount: amount))],
                ]
              }
            } catch is Refused {
              continue
            }
          }
        }
      }
      try await group.waitForAll()
    }
  }
}
