import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// How long a view takes to be built from nothing to the end of the log.
enum ViewTiming {
  private static let patience = Duration.seconds(600)

  /// Builds one view; the store is open already and has none of the name.
  static func build<P: Projection, Plan: SchemaMigrationPlan>(
    _ projection: P.Type, of store: EventStore<Plan>
  ) async throws -> Duration where P.Event == Plan.Current.Event {
    let head = try head(of: store)
    let start = ContinuousClock.now
    try await store.view(projection).waitUntil(head, timeout: patience)
    let time = ContinuousClock.now - start
    try store.remove(view: P.name)
    return time
  }

  /// Builds two views at once.
  static func build<First: Projection, Second: Projection, Plan: SchemaMigrationPlan>(
    _ first: First.Type, _ second: Second.Type, of store: EventStore<Plan>
  ) async throws -> Duration where First.Event == Plan.Current.Event, Second.Event == Plan.Current.Event {
    let head = try head(of: store)
    let start = ContinuousClock.now
    let views = (try store.view(first), try store.view(second))
    try await views.0.waitUntil(head, timeout: patience)
    try await views.1.waitUntil(head, timeout: patience)
    let time = ContinuousClock.now - start
    try store.remove(view: First.name)
    try store.remove(view: Second.name)
    return time
  }

  private static func head<Plan: SchemaMigrationPlan>(of store: EventStore<Plan>) throws -> Position {
    guard let head = try store.read({ (snapshot) throws(AnnalsError) in try snapshot.head() }) else {
      throw WrongWork(description: "the store is empty")
    }
    return head
  }
}
