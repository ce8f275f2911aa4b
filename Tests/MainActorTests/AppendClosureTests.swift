import Annals
import AnnalsTestSupport
import Foundation
import Testing

/// Closures that collect events or take progress. They use the state of the screen, which only the main actor
/// may touch.
struct AppendClosureTests {
  private final class Screen {
    var titles = ["Milk", "Bread"]
    var reports = 0

    func events() -> [TodosV1.Event] {
      titles.map { .todoAdded(.init(id: UUID(), title: $0, due: nil)) }
    }
  }

  private let place: TemporaryStore
  private let store: EventStore<TodoPlan>
  private let screen = Screen()

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(at: place.url, plan: TodoPlan.self)
  }

  @Test func `a closure of an append to the store runs on the caller's actor`() async throws {
    let first = try await store.append { call in
      MainActor.assertIsolated()
      call.append(screen.events(), to: "a", expecting: .noStream)
      call.append(screen.events(), to: "b")
    }
    #expect(first.positions == [1, 2, 3, 4])
    let query = EventQuery<TodosV1.Event>([\.todoAdded])
    let second = try await store.append(unless: query, after: 4) { call in
      MainActor.assertIsolated()
      call.append(screen.events(), to: "a")
    }
    #expect(second.positions == [5, 6])
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append(unless: query, after: 4) { call in call.append(screen.events(), to: "a") }
    }
    #expect(error?.code == .conflict)
  }

  @Test func `a closure of an append that waits for a view runs on the caller's actor`() async throws {
    let view = try store.view(Todos.self)
    try await store.append(waitingFor: view) { call in
      MainActor.assertIsolated()
      call.append(screen.events(), to: "a")
    }
    #expect(try view.rows(RowQuery(Todos.Todo.open)).count == 2)
    try await view.waitUntilCaughtUp { _ in screen.reports += 1 }
  }

  @Test func `a closure of an append to the log runs on the caller's actor`() async throws {
    let log = store.log
    let entry = NewEntry(type: "TodoRemoved", version: nil, payload: try Payload([:]))
    try await log.append { call in
      MainActor.assertIsolated()
      for title in screen.titles { call.append([entry], to: StreamName(title)) }
    }
    let query = LogQuery([.init(types: ["TodoAdded"])])
    try await log.append(unless: query) { call in
      MainActor.assertIsolated()
      for title in screen.titles { call.append([entry], to: StreamName(title)) }
    }
    #expect(try log.read { snapshot throws(AnnalsError) in try snapshot.head() } == 4)
  }
}
