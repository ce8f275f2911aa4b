import Annals
import Foundation

/// The first release: a task has a title, and is done or not.
@Schema(1, 0, 0) enum TodoV1 {
  @Record struct TaskAdded { var title: String }
  @Record struct TaskDone {}
}

/// The second release adds a list to each task. Old tasks are in the list "Inbox".
@Schema(1, 1, 0) enum TodoV2 {
  typealias TaskDone = TodoV1.TaskDone
  @Record struct TaskAdded {
    var title: String
    var list: String
  }
}

/// The third release has tags instead of `#words` in titles.
@Schema(2, 0, 0) enum TodoV3 {
  typealias TaskDone = TodoV1.TaskDone
  @Record struct TaskAdded {
    var title: String
    var list: String
    var tags: [String]
  }
}

/// The fourth release records each tag as an event of its own, so that tags can come later and go again.
@Schema(3, 0, 0) enum TodoV4 {
  typealias TaskDone = TodoV1.TaskDone
  typealias TaskAdded = TodoV2.TaskAdded
  @Record struct TaskTagged { var tag: String }
}

/// The stages from each release to the next one.
enum TodoStages {
  static var toV2: MigrationStage<TodoV1, TodoV2> {
    .lightweight(fromVersion: TodoV1.self, toVersion: TodoV2.self) { Default(\.taskAdded, \.list, "Inbox") }
  }

  static var toV3: MigrationStage<TodoV2, TodoV3> {
    .custom(fromVersion: TodoV2.self, toVersion: TodoV3.self) {
      Upcast(\.taskAdded, to: \.taskAdded) { old, _ in
        let words = old.title.split(separator: " ").map(String.init)
        return .init(
          title: words.filter { !$0.hasPrefix("#") }.joined(separator: " "), list: old.list,
          tags: words.filter { $0.hasPrefix("#") }.map { String($0.dropFirst()) })
      }
    }
  }

  static var toV4: MigrationStage<TodoV3, TodoV4> {
    .custom(fromVersion: TodoV3.self, toVersion: TodoV4.self) {
      Split(\.taskAdded, into: [\.taskAdded, \.taskTagged]) { old, _ in
        [.taskAdded(.init(title: old.title, list: old.list))]
          + old.tags.map { .taskTagged(.init(tag: $0)) }
      }
    }
  }
}

// A program has one plan: that of its release. Here are all four, so that one run shows what each sees.
enum Release1: SchemaMigrationPlan { static var stages: MigrationChain<TodoV1, TodoV1> {} }
enum Release2: SchemaMigrationPlan { static var stages: MigrationChain<TodoV1, TodoV2> { TodoStages.toV2 } }
enum Release3: SchemaMigrationPlan {
  static var stages: MigrationChain<TodoV1, TodoV3> {
    TodoStages.toV2
    TodoStages.toV3
  }
}
enum Release4: SchemaMigrationPlan {
  static var stages: MigrationChain<TodoV1, TodoV4> {
    TodoStages.toV2
    TodoStages.toV3
    TodoStages.toV4
  }
}
