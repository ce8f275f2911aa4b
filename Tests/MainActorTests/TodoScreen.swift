import Annals
import Foundation
import Observation

@Schema(1, 0, 0) enum TodosV1 {
  @Record struct TodoAdded: Equatable { var id: UUID; var title: String; var due: Date? }
  @Record struct TodoDone: Equatable { var id: UUID }
  @Record struct TodoRemoved: Equatable { var id: UUID }
}

enum TodoPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<TodosV1, TodosV1> {}
}

/// The rows that the screen shows: what `@Model class Todo` is in SwiftData.
enum Todos: Projection {
  typealias Event = TodosV1.Event
  @Record struct Todo: ProjectionRow, Equatable {
    var id: UUID
    var title: String
    var due: Date?
    var isDone: Bool
    var key: UUID { id }
    static let open = SecondaryKey<Todo, String>("open") { $0.isDone ? nil : $0.title }
    static var secondaryKeys: [any DeclaredKey<Todo>] { [open] }
  }

  static let name = "todos"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Todo.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .todoAdded(let todo):
      try rows.put(Todo(id: todo.id, title: todo.title, due: todo.due, isDone: false))
    case .todoDone(let done):
      guard var todo = try rows.get(Todo.self, done.id) else { return }
      todo.isDone = true
      try rows.put(todo)
    case .todoRemoved(let removed): try rows.delete(Todo.self, removed.id)
    }
  }
}

/// What a view model does with a `ModelContext` in SwiftData.
@Observable final class TodoList {
  let store: EventStore<TodoPlan>
  let open: LiveQuery<Todos.Todo>
  private(set) var problem: String?

  init(_ store: EventStore<TodoPlan>) throws {
    self.store = store
    open = LiveQuery(RowQuery(Todos.Todo.open), in: try store.view(Todos.self))
  }

  func add(_ title: String) async { await save(.todoAdded(.init(id: UUID(), title: title, due: nil))) }
  func finish(_ todo: Todos.Todo) async { await save(.todoDone(.init(id: todo.id))) }
  func remove(_ todo: Todos.Todo) async { await save(.todoRemoved(.init(id: todo.id))) }

  private func save(_ event: TodosV1.Event) async {
    do { try await store.append([event], to: "todos") } catch { problem = error.message }
  }
}

/// The screen.
struct TodoScreen: View {
  @State var list: TodoList

  var body: some View {
    List(list.open.rows, id: \.id) { todo in
      Button(todo.title) { Task { await list.finish(todo) } }
    }
  }
}
