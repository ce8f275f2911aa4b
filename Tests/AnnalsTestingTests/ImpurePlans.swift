import Annals
import Foundation
import Synchronization

/// An impure operation in a rule of ``ImpurePlan``.
protocol Impurity: Sendable {
  static func text(_ old: ImpureV1.Seen, _ origin: Origin) -> String
}

/// The current time.
enum Clock: Impurity {
  static func text(_ old: ImpureV1.Seen, _ origin: Origin) -> String { "\(Date().timeIntervalSince1970)" }
}

/// A random id.
enum Random: Impurity {
  static func text(_ old: ImpureV1.Seen, _ origin: Origin) -> String { UUID().uuidString }
}

/// The number of runs so far.
enum Counter: Impurity {
  private static let count = Mutex(0)

  static func text(_ old: ImpureV1.Seen, _ origin: Origin) -> String {
    count.withLock { count in
      count += 1
      return "\(count)"
    }
  }
}

/// The order in which this process keeps a set.
enum SetOrder: Impurity {
  static func text(_ old: ImpureV1.Seen, _ origin: Origin) -> String {
    Set(old.names).joined(separator: " ")
  }
}

/// The year in the reader's time zone.
enum CalendarYear: Impurity {
  static func text(_ old: ImpureV1.Seen, _ origin: Origin) -> String {
    "\(Calendar.current.component(.year, from: origin.time))"
  }
}

@Schema(1, 0, 0) enum ImpureV1 {
  @Record struct Seen { var names: [String] }
}
@Schema(2, 0, 0) enum ImpureV2 {
  @Record struct Told { var text: String }
}
extension ImpureV1.Seen {
  static var samples: [Self] { [.init(names: (0..<20).map { "name \($0)" })] }
}

enum ImpurePlan<Rule: Impurity>: SchemaMigrationPlan {
  static var stages: MigrationChain<ImpureV1, ImpureV2> {
    MigrationStage.custom(fromVersion: ImpureV1.self, toVersion: ImpureV2.self) {
      Upcast(\.seen, to: \.told) { old, origin in .init(text: Rule.text(old, origin)) }
    }
  }
}

/// Its rules are pure, but their context is not.
enum SetContextPlan: SchemaMigrationPlan {
  struct Names: Codable, Sendable { var names: [String] }

  static var stages: MigrationChain<ImpureV1, ImpureV2> {
    MigrationStage.custom(
      fromVersion: ImpureV1.self, toVersion: ImpureV2.self,
      prepare: { (history: StageHistory<ImpureV1.Event>) throws -> Names in
        let names = try history.reduce(into: Set<String>()) { names, entry in
          switch entry.event {
          case .seen(let seen): names.formUnion(seen.names)
          }
        }
        return Names(names: Array(names))
      }
    ) {
      Upcast(\.seen, to: \.told) { old, origin, names in .init(text: names.names.first ?? "") }
    }
  }
}
