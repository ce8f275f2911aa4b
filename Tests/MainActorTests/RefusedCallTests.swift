import Annals
import AnnalsTestSupport
import AnnalsTesting
import Foundation
import Testing

/// Calls that fail return to the actor of their caller, like all others.
struct RefusedCallTests {
  private actor Desk {}

  private let calls: RefusedCalls

  init() throws {
    calls = try RefusedCalls(place: TemporaryStore())
  }

  @Test func `an append that fails returns to the actor of its caller`() async throws {
    try await calls.append(on: MainActor.shared)
    try await calls.append(on: Desk())
    try await calls.appendToLog(on: MainActor.shared)
    try await calls.appendToLog(on: Desk())
  }

  @Test func `an append of a cancelled task returns to the actor of its caller`() async throws {
    for actor: any Actor in [MainActor.shared, Desk()] {
      let task = Task { [calls] in await calls.appendCancelled(on: actor) }
      task.cancel()
      await task.value
    }
  }

  @Test func `a decision that fails returns to the actor of its caller`() async throws {
    try await calls.decide(on: MainActor.shared)
    try await calls.decide(on: Desk())
  }

  @Test func `a subscription that fails returns to the actor of its caller`() async throws {
    try await calls.follow(on: MainActor.shared)
    try await calls.follow(on: Desk())
  }

  @Test func `a call that waits for a view and fails returns to the actor of its caller`() async throws {
    try await calls.wait(on: MainActor.shared)
    try await calls.wait(on: Desk())
  }
}

/// The check follows each call directly. A closure in between, such as that of `#expect(throws:)`, leads back
/// to the actor by itself.
nonisolated private struct RefusedCalls {
  private struct Refusal: Error {}

  let place: TemporaryStore
  let store: EventStore<TodoPlan>
  private let events = [TodosV1.Event.todoRemoved(.init(id: UUID()))]
  private let query = EventQuery<TodosV1.Event>([\.todoRemoved])

  init(place: TemporaryStore) throws {
    self.place = place
    store = try EventStore(at: place.url, plan: TodoPlan.self)
  }

  func append(on actor: isolated any Actor) async throws {
    let view = try store.view(Todos.self)
    try await store.append(events, to: "a")
    var codes: [AnnalsError.Code] = []
    do { try await store.append(events, to: "s", expecting: .exists) } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await store.append { $0.append(events, to: "s", expecting: .exists) } } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    do { try await store.append { $0.check("s", .exists) } } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await store.append(events, unless: query) } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await store.append(unless: query) { $0.append(events, to: "s") } } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    do { try await store.append(events, to: "s", expecting: .exists, waitingFor: view) } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    do { try await store.append(waitingFor: view) { $0.check("s", .exists) } } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    #expect(codes == Array(repeating: .conflict, count: 7))
  }

  func appendToLog(on actor: isolated any Actor) async throws {
    let log = store.log
    let entries = [NewEntry(type: "TodoRemoved", version: nil, payload: try Payload([:]))]
    try await log.append(entries, to: "a")
    let query = LogQuery([.init(types: ["TodoRemoved"])])
    var codes: [AnnalsError.Code] = []
    do { try await log.append(entries, to: "s", expecting: .exists) } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await log.append { $0.check("s", .exists) } } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await log.append(entries, to: "s", unless: query) } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await log.append(unless: query) { $0.append(entries, to: "s") } } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    let seeds = try TestStore()
    do { try await seeds.seed(TodosV1.self) { $0.append(events, to: "s", expecting: .exists) } } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    do {
      try await seeds.seedUnversioned(TodosV1.self) { $0.append(events, to: "s", expecting: .exists) }
    } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    #expect(codes == Array(repeating: .conflict, count: 6))
    codes = []
    do { try await log.importLines(from: { Array("{oops}\n".utf8) }) } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await log.close("") } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await log.truncate("") } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    #expect(codes == [.malformed, .invalidName, .invalidName])
  }

  func appendCancelled(on actor: isolated any Actor) async {
    var codes: [AnnalsError.Code] = []
    do { try await store.append { $0.append(events, to: "s") } } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await store.append(unless: query) { $0.append(events, to: "s") } } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    do { try await store.log.append { $0.check("s", .any) } } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await store.log.append(unless: .all) { $0.check("s", .any) } } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    #expect(codes == Array(repeating: .cancelled, count: 4))
  }

  func decide(on actor: isolated any Actor) async throws {
    var codes: [AnnalsError.Code?] = []
    do {
      try await store.decide(OpenTodos.self, on: "d", attempts: 1) { _ in
        try store.append(events, to: "d")
        return events
      }
    } catch { codes.append((error as? AnnalsError)?.code) }
    actor.preconditionIsolated()
    do {
      try await store.decide(OpenTodos.self, on: ["d", "e"], attempts: 1) { _ in
        try store.append(events, to: "d")
        return ["e": events]
      }
    } catch { codes.append((error as? AnnalsError)?.code) }
    actor.preconditionIsolated()
    do {
      try await store.decide(OpenTodosModel(), matching: query, to: "d", attempts: 1) { _ in
        try store.append(events, to: "e")
        return events
      }
    } catch { codes.append((error as? AnnalsError)?.code) }
    actor.preconditionIsolated()
    do { try await store.decide(OpenTodos.self, on: "") { _ in events } } catch {
      codes.append((error as? AnnalsError)?.code)
    }
    actor.preconditionIsolated()
    do { try await store.decide(OpenTodos.self, on: "d") { _ in throw Refusal() } } catch {
      codes.append((error as? AnnalsError)?.code)
    }
    actor.preconditionIsolated()
    #expect(codes == [.conflict, .conflict, .conflict, .invalidName, nil])
  }

  func follow(on actor: isolated any Actor) async throws {
    try await store.append(events, to: "a")
    var codes: [AnnalsError.Code] = []
    do { try await store.process("c") { _ in throw Refusal() } } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await store.process("") { _ in } } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await store.retryDeadLetters("") { _ in } } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { for try await _ in store.subscribe(from: .stored("")) {} } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    #expect(codes == [.ruleFailed, .invalidName, .invalidName, .invalidName])
    do { _ = try await EventStore.open(at: place.url.appending(path: "a/b"), plan: TodoPlan.self) } catch {
      codes = [error.code]
    }
    actor.preconditionIsolated()
    #expect(codes == [.cannotCreate])
  }

  func wait(on actor: isolated any Actor) async throws {
    let view = try store.view(Todos.self)
    try await view.waitUntilCaughtUp()
    var codes: [AnnalsError.Code] = []
    do { try await view.waitUntil(1000, timeout: .milliseconds(1)) } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    try store.remove(view: Todos.name)
    do { try await view.waitUntilBuilt() } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await view.waitUntilCaughtUp(timeout: .milliseconds(200)) } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { try await store.append(events, to: "a", waitingFor: view) } catch { codes.append(error.code) }
    actor.preconditionIsolated()
    do { for try await _ in view.changes(of: Todos.Todo.self) {} } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    do { for try await _ in view.results(RowQuery(Todos.Todo.open)) {} } catch {
      codes.append(error.code)
    }
    actor.preconditionIsolated()
    #expect(codes == [.busy, .busy, .busy, .viewLags, .busy, .busy])
  }
}
