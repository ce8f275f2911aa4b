import Annals
import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Tables that are served together are one stream, and the notes made at them are another.
@Schema(3, 0, 0) enum MealsV3 {
  typealias Noted = MealsV2.Noted
  typealias Served = MealsV2.Served
}

/// Renames, merges and splits streams, and drops some entries.
enum MovedMeals: SchemaMigrationPlan {
  static var stages: MigrationChain<MealsV1, MealsV3> {
    MigrationStage.custom(fromVersion: MealsV1.self, toVersion: MealsV2.self) {
      Split(\.ordered, into: [\.served]) { old, _ in
        (0..<old.dishes).map { .served(.init(guest: old.guest, dish: $0)) }
      }
      Drop(\.pinged, reason: "noise")
    }
    MigrationStage.custom(fromVersion: MealsV2.self, toVersion: MealsV3.self) {
      Streams { events, origin in
        switch events.first {
        case .noted(let note) where note.text.utf8.count % 11 == 3: .dropped(reason: "scribble")
        case .noted: .moves(to: "notes")
        case .served: .moves(to: StreamName("room \(origin.stream.text.utf8.count)"))
        case nil: .stays
        }
      }
    }
  }
}

/// Runs the pass that moves streams, and kills itself at a named step of it.
struct MoveProgram {
  let url: URL

  /// The number of entries in a batch, small enough that a small store has several batches.
  private static let batch = 25

  /// Runs the passes. Prints for each whether there was anything to do, the generation in use, and the
  /// position at which it resumed.
  func run(_ wish: PassProgram.Wish) async throws {
    var options = StoreOptions(creation: .never)
    options.entriesPerMerge = 40
    var passes = try PlanMigration(at: url, plan: MovedMeals.self, to: nil, options: options)
    var migration = MigrationOptions()
    migration.batch = Self.batch
    migration.durableBatch = Self.batch
    let counts = Counts()
    migration.atPoint = { point in
      let count = counts.next(point)
      if let end = wish.end, end.point == point, end.count == count { kill(getpid(), SIGKILL) }
    }
    while let run = try passes.next(migration) {
      let report = try await run.report()
      print("\(report.isDone ? "done" : "nothing") \(report.generation) \(report.resumedAt)")
    }
  }
}

/// Counts the occurrences of each step.
private final class Counts: Sendable {
  private let counts = Mutex<[PassPoint: Int]>([:])

  func next(_ point: PassPoint) -> Int {
    counts.withLock { counts in
      counts[point, default: 0] += 1
      return counts[point, default: 0]
    }
  }
}
