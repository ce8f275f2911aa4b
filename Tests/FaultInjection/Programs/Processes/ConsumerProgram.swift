package import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Something that happens again and again.
@Schema(1, 0, 0) package enum TicksV1 {
  @Record package struct Ticked { package var number: Int }
}

/// The plan of a log of ticks.
package enum TickPlan: SchemaMigrationPlan {
  package static var stages: MigrationChain<TicksV1, TicksV1> {}
}

/// Programs that follow a log which another process writes.
enum ConsumerProgram {
  /// Notes when each entry is given that is appended from now on.
  static func subscribe(_ path: String, journal: String, count: Int) async throws {
    let journal = try Journal(path: journal)
    let log = try EventLog(
      at: URL(fileURLWithPath: path), options: StoreOptions(access: .readOnly, creation: .never))
    var given = 0
    for try await step in log.subscribe(from: .end).steps {
      switch step {
      case .caughtUp: if given == 0 { FaultProgram.ready() }
      case .passed: break
      case .entry(let element):
        try journal.note("got", "\(element.entry.position)", "\(Journal.now)")
        given += 1
        if given == count { return }
      }
    }
  }

  /// Handles ticks and notes each of them, until it is killed or all are handled.
  static func consume(_ path: String, journal: String) async throws {
    let journal = try Journal(path: journal)
    let store = try EventStore(
      at: URL(fileURLWithPath: path), plan: TickPlan.self, options: StoreOptions(creation: .never))
    FaultProgram.ready()
    try await store.process("ticker", options: ProcessingOptions(interval: 3, endsAtHead: true)) { element in
      try journal.note("did", "\(element.entry.position)")
    }
  }

  /// Waits for another process's turn to end, and handles nothing.
  static func standBy(_ path: String) async throws {
    let store = try EventStore(
      at: URL(fileURLWithPath: path), plan: TickPlan.self, options: StoreOptions(creation: .never))
    FaultProgram.ready()
    try await store.process("ticker", options: ProcessingOptions(takesOver: true)) { _ in }
  }
}
