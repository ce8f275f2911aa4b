public import Annals

extension SwiftDataFile {
  /// Appends the rows of the file to a log as events, or those that changed since the last import.
  ///
  /// Without a history, each new, changed and missing row becomes one event. With one that the mapping wants,
  /// each change that is not in the log yet becomes one event with its time, in the order in which they
  /// happened. Rows that the history does not explain follow. docs/moving-in.md says what an event has and
  /// what it cannot have.
  ///
  /// The log itself shows the imported rows: each event names the file and the row, and has the hash of the
  /// row's values. An import that was interrupted continues where it stopped.
  ///
  /// - Parameters:
  ///   - log: The log to append to.
  ///   - mapping: The names and types; see ``proposal(named:history:)``.
  ///   - progress: Receives the report after each batch of up to 4,000 events.
  /// - Returns: The number of events of each kind.
  /// - Throws: ``AnnalsError`` with code `malformed` for a mapping or a value that does not fit, naming
  ///   entity, row and column; `incomplete` for a missing external content; `conflict` if a stream has events
  ///   of another file, or another program appends to it; `damaged`; and the errors of an append. Batches
  ///   that were stored before stay.
  /// - Complexity: O(rows + changes). An import that finds nothing new reads every row and writes nothing.
  public func importRows(
    into log: EventLog, mapping: SwiftDataMapping, progress: (SwiftDataImportReport) -> Void = { _ in }
  ) throws(AnnalsError) -> SwiftDataImportReport {
    var run = ImportRun(
      file: self, log: log, version: try mapping.schemaVersion(), history: mapping.history ? history : nil)
    run.entities = try mapped(by: mapping)
    return try run.run(progress)
  }

  /// Checks that the file has what a mapping names.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` for a mapping that does not fit the file.
  package func check(_ mapping: SwiftDataMapping) throws(AnnalsError) { _ = try mapped(by: mapping) }

  /// Finds what a mapping names.
  private func mapped(by mapping: SwiftDataMapping) throws(AnnalsError) -> [MappedEntity] {
    try mapping.check()
    var entities: [MappedEntity] = []
    for entity in mapping.entities { entities.append(try MappedEntity(entity, in: self)) }
    try ImportRun.mustSeparateStreams(entities)
    return entities
  }
}
