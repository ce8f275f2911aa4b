import Annals
import AnnalsTestSupport
import Foundation
import Testing

/// The screen of docs/swiftdata-guide.md in a module whose default isolation is the main actor.
struct TodoScreenTests {
  @Test func `the screen shows what was appended, also after a tap and a removal`() async throws {
    let place = try TemporaryStore()
    let list = try TodoList(EventStore(at: place.url, plan: TodoPlan.self))
    let screen = TodoScreen(list: list)
    var buttons: [Button] { (screen.body as? List<Todos.Todo, Button>)?.contents ?? [] }
    #expect(buttons.isEmpty)
    await list.add("Milk")
    await list.add("Bread")
    try await waitUntil { list.open.rows.count == 2 }
    #expect(buttons.map(\.title) == ["Bread", "Milk"])
    buttons[0].action()
    try await waitUntil { list.open.rows.count == 1 }
    let milk = try #require(list.open.rows.first)
    await list.remove(milk)
    try await waitUntil { list.open.rows.isEmpty }
    #expect(list.problem == nil && list.open.error == nil)
    let log = try EventLog(at: place.url)
    let types = try log.read { snapshot in
      var entries = try snapshot.entries(in: "todos")
      var types: [String] = []
      while let entry = try entries.next() { types.append(entry.type) }
      return types
    }
    #expect(types == ["TodoAdded", "TodoAdded", "TodoDone", "TodoRemoved"])
  }

  @Test func `two writers differ in the revision that they expect`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: TodoPlan.self)
    let todo = TodosV1.TodoAdded(id: UUID(), title: "Milk", due: nil)
    let added = try await store.append([.todoAdded(todo)], to: "todos", expecting: .noStream)
    let revision = try #require(added.revision)
    try await store.append([.todoDone(.init(id: todo.id))], to: "todos", expecting: .revision(revision))
    await #expect(throws: AnnalsError.self) {
      try await store.append([.todoRemoved(.init(id: todo.id))], to: "todos", expecting: .revision(revision))
    }
  }
}
