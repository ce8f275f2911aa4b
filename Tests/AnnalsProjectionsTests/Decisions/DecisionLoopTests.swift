import Synchronization
import Testing

@testable import Annals
@testable import AnnalsStore
@testable import AnnalsSubscriptions

/// A basis without a store: its state is a number that others raise before some of the appends.
private final class ScriptedBasis: DecisionBasis {
  typealias Event = VaultV1.Event

  struct Script {
    var number = 0
    var overtaken: Int
    var appends: [Int] = []
    var otherError: AnnalsError?
  }

  let script: Mutex<Script>
  let keys: Set<DecisionKey> = [.stream("a")]
  let name = "scripted"
  let stream: StreamName? = "a"

  /// - Parameter overtaken: How many appends are overtaken.
  init(overtaken: Int, otherError: AnnalsError? = nil) {
    script = Mutex(Script(overtaken: overtaken, otherError: otherError))
  }

  func load() throws(AnnalsError) -> (state: Int, condition: Int) {
    let number = script.withLock { $0.number }
    return (number, number)
  }

  func append(_ events: DecidedEvents<Event>, under condition: Int) async throws(AnnalsError) -> Appended {
    let error = script.withLock { state -> AnnalsError? in
      if let error = state.otherError { return error }
      if state.overtaken > 0 {
        state.overtaken -= 1
        state.number += 1
      }
      state.appends.append(condition)
      if condition != state.number { return AnnalsError(.conflict, "stream 'a': overtaken") }
      return nil
    }
    if let error { throw error }
    return Appended(positions: [Position(1)], revisions: [0], wasRepeated: false)
  }
}

/// The loop of all decisions, with a scripted basis and a scripted clock.
@Suite struct DecisionLoopTests {
  private let clock = ScriptedClock(passesByItself: true)

  private func loop(attempts: Int, timeout: Duration? = nil) -> DecisionLoop<ScriptedClock> {
    DecisionLoop(
      turns: DecisionTurns(), retries: DecisionRetries(attempts: attempts, timeout: timeout), clock: clock,
      chance: { 0.5 })
  }

  private let event: DecidedEvents<VaultV1.Event> = ["a": [.deposited(.init(amount: 1))]]

  @Test func `An overtaken decision is made again on the newer state, after pauses that double`() async throws
  {
    let basis = ScriptedBasis(overtaken: 4)
    var states: [Int] = []
    let appended = try await loop(attempts: 5).run(on: basis) { state in
      states.append(state)
      return event
    }
    #expect(appended.positions == [Position(1)])
    #expect(states == [0, 1, 2, 3, 4])
    #expect(basis.script.withLock { $0.appends } == [0, 1, 2, 3, 4])
    #expect(clock.sleeps == [.microseconds(500), .milliseconds(1), .milliseconds(2), .milliseconds(4)])
  }

  @Test func `A decision that is overtaken in every attempt throws the last conflict`() async throws {
    let basis = ScriptedBasis(overtaken: 3)
    let error = await #expect(throws: AnnalsError.self) {
      try await loop(attempts: 3).run(on: basis) { _ in event }
    }
    #expect(error?.code == .conflict)
    #expect(basis.script.withLock { $0.appends.count } == 3)
    #expect(clock.sleeps.count == 2)
  }

  @Test func `After the timeout a conflict is thrown, and no attempt begins`() async throws {
    let basis = ScriptedBasis(overtaken: .max)
    let error = await #expect(throws: AnnalsError.self) {
      try await loop(attempts: .max, timeout: .milliseconds(10)).run(on: basis) { _ in event }
    }
    #expect(error?.code == .conflict)
    // Pauses of 0.5, 1, 2 and 4 ms are over after 7.5 ms; the next one would end after 15.5 ms.
    #expect(basis.script.withLock { $0.appends.count } == 5)
    #expect(clock.now.offset == .microseconds(7_500))
  }

  @Test func `Only a conflict is followed by another attempt`() async throws {
    for code in [AnnalsError.Code.diskFull, .rejected, .streamMoved, .busy, .cancelled, .outcomeUnknown] {
      let basis = ScriptedBasis(overtaken: 0, otherError: AnnalsError(code, "scripted"))
      var made = 0
      let error = await #expect(throws: AnnalsError.self) {
        try await loop(attempts: 5).run(on: basis) { _ in
          made += 1
          return event
        }
      }
      #expect(error?.code == code && made == 1)
    }
    #expect(clock.sleeps == [])
  }

  @Test func `An error of the decision ends it, even one with the code conflict`() async throws {
    let basis = ScriptedBasis(overtaken: 0)
    let error = await #expect(throws: AnnalsError.self) {
      try await loop(attempts: 5).run(on: basis) { _ in throw AnnalsError(.conflict, "the decision's own") }
    }
    #expect(error?.message == "the decision's own")
    #expect(basis.script.withLock { $0.appends } == [])
  }

  @Test func `A decision without events appends nothing`() async throws {
    let basis = ScriptedBasis(overtaken: 0)
    let appended = try await loop(attempts: 5).run(on: basis) { _ in [:] }
    #expect(appended.positions == [] && basis.script.withLock { $0.appends } == [])
  }

  @Test func `Less than one attempt is a wrong use`() async throws {
    for attempts in [0, -1, .min] {
      let error = await #expect(throws: AnnalsError.self) {
        try await loop(attempts: attempts).run(on: ScriptedBasis(overtaken: 0)) { _ in event }
      }
      #expect(error?.code == .wrongUse)
    }
  }

  @Test func `A task that is cancelled during a pause throws cancelled and ends its turn`() async throws {
    let clock = ScriptedClock()
    let turns = DecisionTurns()
    let task = Task { [event] in
      let loop = DecisionLoop(
        turns: turns, retries: DecisionRetries(attempts: 5), clock: clock, chance: { 0.5 })
      _ = try await loop.run(on: ScriptedBasis(overtaken: 1)) { _ in event }
    }
    try await waitUntil { clock.sleeping == 1 }
    #expect(turns.count == 1)
    task.cancel()
    let error = await #expect(throws: AnnalsError.self) { try await task.value }
    #expect(error?.code == .cancelled && turns.count == 0)
  }

  @Test func `A later decision waits while an earlier one pauses`() async throws {
    let clock = ScriptedClock()
    let turns = DecisionTurns()
    func start(overtaken: Int) -> Task<Void, any Error> {
      Task { [event] in
        let loop = DecisionLoop(
          turns: turns, retries: DecisionRetries(attempts: 5), clock: clock, chance: { 0.5 })
        _ = try await loop.run(on: ScriptedBasis(overtaken: overtaken)) { _ in event }
      }
    }
    let first = start(overtaken: 1)
    try await waitUntil { clock.sleeping == 1 }
    let second = start(overtaken: 0)
    try await waitUntil { turns.count == 2 }
    // The second one would be overtaken by none, and waits.
    try await Task.sleep(for: .milliseconds(20))
    #expect(turns.count == 2 && clock.sleeping == 1)
    clock.advance(by: .milliseconds(1))
    try await first.value
    try await second.value
    #expect(turns.count == 0)
  }
}
