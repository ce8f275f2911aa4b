/// What an import has done.
public struct SwiftDataImportReport: Sendable, Equatable {
  /// The number of rows in the file, of the mapped entities.
  public internal(set) var rows = 0
  /// The number of events stored for inserted rows.
  public internal(set) var inserted = 0
  /// The number of events stored for updated rows.
  public internal(set) var updated = 0
  /// The number of events stored for deleted rows.
  public internal(set) var deleted = 0
  /// The number of stored events that are incomplete, because the history has no old values.
  public internal(set) var incomplete = 0
  /// The number of rows whose stream has events, but none that was imported, or whose events were erased, or
  /// were all dropped by a migration pass before the row changed.
  ///
  /// Nothing is stored for them.
  public internal(set) var skipped = 0
  /// The number of changes in the history of entities that the mapping does not have.
  public internal(set) var otherChanges = 0

  /// The number of events stored.
  public var stored: Int { inserted + updated + deleted }
}
