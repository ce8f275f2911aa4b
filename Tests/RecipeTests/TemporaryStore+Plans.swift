import Annals
import Foundation

extension TemporaryStore {
  /// Appends events as the first program did whose only schema was `schema`.
  func write<Schema: VersionedSchema>(
    _ events: [Schema.Event], as schema: Schema.Type, to stream: StreamName = "all", at time: Date? = nil
  ) async throws {
    let store = try EventStore(at: url, plan: OneSchema<Schema>.self)
    try await store.append(events.map { NewEvent($0, time: time) }, to: stream)
  }

  /// Appends maps without a schema version, as a program without schemas did.
  func writeUnversioned(_ type: String, _ values: [CBOR]) async throws {
    let log = try EventLog(at: url)
    try await log.append(
      try values.map { NewEntry(type: type, version: nil, payload: try Payload($0)) }, to: "all")
  }

  /// All events as a program with `plan` reads them.
  func read<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, activating: Bool = false
  ) throws -> [Plan.Current.Event] {
    var options = StoreOptions()
    options.activating = activating
    let store = try EventStore(at: url, plan: plan, options: options)
    return try store.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [Plan.Current.Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }
}

/// The plan of a program that knows one schema alone.
enum OneSchema<Schema: VersionedSchema>: SchemaMigrationPlan {
  static var stages: MigrationChain<Schema, Schema> {}
}
