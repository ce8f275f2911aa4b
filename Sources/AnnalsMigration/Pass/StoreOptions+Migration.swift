public import AnnalsLog

extension StoreOptions {
  /// When older entries are rewritten in the plan's current version. By default, never without a request. Any
  /// other mode, except ``MigrationMode/refuse``, needs a store that is open for writing.
  public var migration: MigrationMode {
    get { self[MigrationMode.self] ?? .onRead }
    set { self[MigrationMode.self] = newValue }
  }
}
