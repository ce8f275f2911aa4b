internal import Annals

/// One import, from the first row to the last.
struct ImportRun {
  /// The changes that the history has of a row.
  struct Remembered {
    var first: SourceChange.Kind
    var last: Int64
    /// The newest change that the log had before this import; `nil` until the first one is imported.
    var imported: Int64?
    /// What the row's stream holds, if it ends with stubs and nothing was added.
    var known: ImportedStream?
  }

  /// A row by its entity's number and its primary key.
  struct RowID: Hashable {
    let entity: Int64
    let key: Int64
  }

  let file: SwiftDataFile
  let log: EventLog
  let version: SchemaVersion
  /// The changes to import; `nil` if only the rows are.
  let history: SourceHistory?
  var entities: [MappedEntity] = [] {
    didSet { deletions = Set(entities.map(\.mapping.deleted)) }
  }
  /// The types of deletions.
  private(set) var deletions: Set<String> = []
  var report = SwiftDataImportReport()
  var batch = ImportBatch()
  var remembered: [RowID: Remembered] = [:]
  /// The number of the last change that the rows have and the import leaves out; 0 if it imports changes.
  let lastOmitted: Int64

  init(file: SwiftDataFile, log: EventLog, version: SchemaVersion, history: SourceHistory?) {
    self.file = file
    self.log = log
    self.version = version
    self.history = history
    lastOmitted = history == nil ? file.history?.last ?? 0 : 0
  }

  /// Checks that two rows have one stream only if they are of one hierarchy, whose keys differ.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed`.
  static func mustSeparateStreams(_ entities: [MappedEntity]) throws(AnnalsError) {
    for (index, entity) in entities.enumerated() {
      for other in entities[..<index] where other.source.root != entity.source.root {
        let (stream, earlier) = (entity.mapping.stream, other.mapping.stream)
        guard !areMixed(stream, earlier), !areMixed(earlier, stream) else {
          throw AnnalsError(
            .malformed,
            "the mapping has the stream '\(earlier)' for rows of '\(other.mapping.entity)', and '\(stream)' "
              + "for those of '\(entity.mapping.entity)', so two rows could have one stream; give one of "
              + "them another name")
        }
      }
    }
  }

  /// Whether the stream of a row called with `long` can be that of a row called with `short`: `item1` and the
  /// key 2 is `item` and the key 12.
  private static func areMixed(_ short: String, _ long: String) -> Bool {
    long.utf8.starts(with: short.utf8)
      && long.utf8.dropFirst(short.utf8.count).allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
  }

  mutating func run(_ progress: (SwiftDataImportReport) -> Void) throws(AnnalsError) -> SwiftDataImportReport
  {
    if let history {
      try remember(history)
      try rows(progress) { run, _, entity, row throws(AnnalsError) in
        try run.addUnexplained(row, of: entity)
      }
      try changes(history, progress)
    }
    var keys: [String: Set<Int64>] = [:]
    try rows(progress) { run, _, entity, row throws(AnnalsError) in
      run.report.rows += 1
      keys[entity.mapping.stream, default: []].insert(row.key)
      try run.settle(row, of: entity)
    }
    // The streams of missing rows are found in the log, also those that this import has begun.
    report.add(try batch.append(to: log))
    try deleteMissing(keys)
    try finish(progress)
    return report
  }

  /// Calls `body` with each row of the mapped entities.
  mutating func rows(
    _ progress: (SwiftDataImportReport) -> Void,
    _ body: (inout ImportRun, Int, MappedEntity, SourceRow) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    for (index, entity) in entities.enumerated() {
      var run = self
      try file.database.each(entity.query("ORDER BY Z_PK"), [.integer(entity.source.number)]) {
        values throws(AnnalsError) in
        try body(&run, index, entity, try SourceRow(values, entity, in: run.file))
        try run.finishIfFull(progress)
      }
      self = run
    }
  }

  mutating func finishIfFull(_ progress: (SwiftDataImportReport) -> Void) throws(AnnalsError) {
    if batch.isFull { try finish(progress) }
  }

  mutating func finish(_ progress: (SwiftDataImportReport) -> Void) throws(AnnalsError) {
    report.add(try batch.append(to: log))
    progress(report)
  }
}
