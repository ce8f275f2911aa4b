import Annals
import Foundation

/// A to-do app that evolves three times. Each release opens the store that the others wrote to, reads every task
/// in its own shape, and adds one.
@main enum Todo {
  static func main() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "todo.annals")

    do {
      let store = try EventStore(at: url, plan: Release1.self)
      try await store.append([.taskAdded(.init(title: "Buy tea #shop"))], to: "task-1", expecting: .noStream)
      try await store.append([.taskAdded(.init(title: "Call Ann")), .taskDone(.init())], to: "task-2")
      try await show(store) { event in
        switch event {
        case .taskAdded(let task): "added '\(task.title)'"
        case .taskDone: "done"
        }
      }
    }
    do {
      let store = try EventStore(at: url, plan: Release2.self)
      try await store.append(
        [.taskAdded(.init(title: "Plan trip #travel #2025", list: "Home"))], to: "task-3")
      try await show(store) { event in
        switch event {
        case .taskAdded(let task): "added '\(task.title)' to \(task.list)"
        case .taskDone: "done"
        }
      }
    }
    do {
      let store = try EventStore(at: url, plan: Release3.self)
      try await store.append(
        [.taskAdded(.init(title: "Fix bike", list: "Home", tags: ["weekend"]))], to: "task-4")
      try await show(store) { event in
        switch event {
        case .taskAdded(let task): "added '\(task.title)' to \(task.list), tags \(task.tags)"
        case .taskDone: "done"
        }
      }
    }
    do {
      let store = try EventStore(at: url, plan: Release4.self)
      try await store.append([.taskTagged(.init(tag: "soon"))], to: "task-1", expecting: .exists)
      try await show(store) { event in
        switch event {
        case .taskAdded(let task): "added '\(task.title)' to \(task.list)"
        case .taskTagged(let tagged): "tagged \(tagged.tag)"
        case .taskDone: "done"
        }
      }
      let view = try store.view(TaskTable.self)
      try await view.waitUntilBuilt()
      print("Tasks by list")
      for row in try view.rows(RowQuery(TaskTable.Row.byList, .all)) {
        print("  \(row.list): \(row.isDone ? "[x]" : "[ ]") \(row.title) \(row.tags)")
      }
    }
    print("Stored in")
    for line in try EventLog.inspect(url).census {
      print("  \(line.type) \(line.version.map(String.init(describing:)) ?? "-"): \(line.count)")
    }
  }

  /// Prints the events of all tasks, as a release sees them.
  static func show<Plan: SchemaMigrationPlan>(
    _ store: EventStore<Plan>, _ text: @Sendable (Plan.Current.Event) -> String
  ) async throws {
    print("Release \(Plan.Current.version)")
    for try await entry in store.entries() { print("  \(entry.stream): \(text(entry.event))") }
  }
}
