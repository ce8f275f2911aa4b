import Annals
import AnnalsTestSupport
import Foundation
import Testing

/// The todos that are not done, in the eyes of a decision.
enum OpenTodos: Aggregate {
  typealias Event = TodosV1.Event
  @Record struct State { var count: Int = 0 }

  static let name = "open-todos"
  static let version = 1
  static var initial: State { State() }
  static func apply(_ entry: Entry<Event>, to state: inout State) {
    switch entry.event {
    case .todoAdded: state.count += 1
    case .todoDone, .todoRemoved: state.count -= 1
    }
  }
}

/// As ``OpenTodos``, for the events of a query.
struct OpenTodosModel: DecisionModel {
  var count = 0
  mutating func apply(_ entry: Entry<TodosV1.Event>) { OpenTodos.apply(entry, to: &state) }
  private var state: OpenTodos.State {
    get { OpenTodos.State(count: count) }
    set { count = newValue.count }
  }
}

/// Decisions that use the state of the screen, which only the main actor may touch.
struct DecisionTests {
  private final class Screen {
    var limit = 2
    var decisions = 0

    func decide(_ count: Int) throws -> [TodosV1.Event] {
      decisions += 1
      guard count < limit else { throw Rejection("there are \(count) open todos") }
      return [.todoAdded(.init(id: UUID(), title: "Milk", due: nil))]
    }
  }

  private let place: TemporaryStore
  private let store: EventStore<TodoPlan>
  private let screen = Screen()

  init() throws {
    place = try TemporaryStore()
    store = try EventStore(at: place.url, plan: TodoPlan.self)
  }

  @Test func `a decision on streams runs on the caller's actor`() async throws {
    try await store.decide(OpenTodos.self, on: "a") { todos in
      MainActor.assertIsolated()
      return try screen.decide(todos.count)
    }
    try await store.decide(OpenTodos.self, on: "a") { todos in
      try screen.decide(todos.count).map { NewEvent($0, id: UUID()) }
    }
    try await store.decide(OpenTodos.self, on: ["a", "b"], timeout: .seconds(60)) { todos in
      ["b": try screen.decide(try todos["b"].count)]
    }
    await #expect(throws: Rejection.self) {
      try await store.decide(OpenTodos.self, on: "a") { todos in try screen.decide(todos.count) }
    }
    #expect(screen.decisions == 4)
  }

  @Test func `a decision on a query runs on the caller's actor`() async throws {
    let query = EventQuery<TodosV1.Event>([\.todoAdded, \.todoDone, \.todoRemoved])
    screen.limit = 4
    try await store.decide(OpenTodosModel(), matching: query, to: "a") { todos in
      MainActor.assertIsolated()
      return try screen.decide(todos.count)
    }
    try await store.decide(OpenTodosModel(), matching: query) { todos in
      ["a": try screen.decide(todos.count)]
    }
    try await store.decide(OpenTodos.self, matching: query, to: "a") { todos in
      try screen.decide(todos.count)
    }
    try await store.decide(OpenTodos.self, matching: query) { todos in
      ["b": try screen.decide(todos.count)]
    }
    await #expect(throws: Rejection.self) {
      try await store.decide(OpenTodosModel(), matching: query) { todos in
        ["b": try screen.decide(todos.count)]
      }
    }
    #expect(screen.decisions == 5)
  }

  @Test func `decisions of the main actor and of no actor take turns`() async throws {
    screen.limit = 40
    let store = store
    var tasks: [Task<Appended, any Error>] = []
    for _ in 0..<20 {
      tasks.append(
        Task { @concurrent in
          try await store.decide(OpenTodos.self, on: "a", attempts: 1) { todos in
            [.todoAdded(.init(id: UUID(), title: "Bread", due: nil))]
          }
        })
      tasks.append(
        Task {
          try await store.decide(OpenTodos.self, on: "a", attempts: 1) { todos in
            try screen.decide(todos.count)
          }
        })
    }
    for task in tasks { _ = try await task.value }
    #expect(screen.decisions == 20)
    #expect(try store.load(OpenTodos.self, from: "a").state.count == 40)
  }
}
