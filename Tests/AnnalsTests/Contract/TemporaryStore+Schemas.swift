import Foundation

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsStore

/// The plan of a program that knows one schema alone.
enum OneSchema<Schema: VersionedSchema>: SchemaMigrationPlan {
  static var stages: MigrationChain<Schema, Schema> {}
}

extension TemporaryStore {
  /// Appends events as a program does whose only schema is `schema`.
  func write<Schema: VersionedSchema>(_ events: [Schema.Event], as schema: Schema.Type) async throws {
    try await EventStore(at: url, plan: OneSchema<Schema>.self).append(events, to: "all")
  }

  /// Appends events as a program with `plan` does.
  func write<Plan: SchemaMigrationPlan>(
    _ events: [Plan.Current.Event], through plan: Plan.Type
  ) async throws {
    try await EventStore(at: url, plan: plan).append(events, to: "all")
  }

  /// All events as a program with `plan` reads them.
  func read<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, activating: Bool = false
  ) throws -> [Plan.Current.Event] {
    var options = StoreOptions()
    options.activating = activating
    return try EventStore(at: url, plan: plan, options: options).events()
  }

  /// The error of a program that cannot open the store; nothing may have changed in it.
  func refusal<Plan: SchemaMigrationPlan>(
    of plan: Plan.Type, activating: Bool = false
  ) throws -> AnnalsError? {
    let before = try files()
    do {
      _ = try read(plan, activating: activating)
      return nil
    } catch let error as AnnalsError {
      guard try files() == before else { throw Changed() }
      return error
    }
  }

  private struct Changed: Error {}
}
