public import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension SwiftDataFile {
  /// Appends the rows of the file to a log as events, or those that changed since the last import.
  ///
  /// Without a history, each new, changed and missing row becomes one event. With one that the mapping wants,
  /// each change that is not in the log yet becomes one event with its time, in the order in which they happened.
  /// Rows that the history does not explain follow. docs/moving-in.md says what an event has and what it cannot have.
  ///
  /// The log itself shows what was imported: each event names the file and the row, and has the hash of the row's
  /// values. An import that was interrupted continues where it stopped.
  ///
  /// - Parameters:
  ///   - log: The log to append to.
  ///   - mapping: The names and types; see ``proposal(named:history:)``.
  ///   - progress: Receives the report after each batch of up to 4,000 events.
  /// - Returns: The number of events of each kind.
  /// - Throws: ``AnnalsError`` with code `malformed` for a mapping or a value that does not fit, naming entity,
  ///   row and column; `incomplete` for a missing external content; `conflict` if a stream has events of
  ///   another file, or another program appends to it; `damaged`; and the errors of an append. Batches that
  ///   were stored before stay.
  /// - Complexity: O(rows + changes). An import that finds nothing new reads every row and writes nothing.
  public func importRows(
    into log: EventLog, mapping: SwiftDataMapping, progress: (SwiftDataImportReport) -> Void = { _ in }
  ) throws(AnnalsError) -> SwiftDataImportReport {
    try mapping.check()
    var run = ImportRun(
      file: self, log: log, version: try mapping.schemaVersion(), history: mapping.history ? history : nil)
    for entity in mapping.entities { run.entities.append(try MappedEntity(entity, in: self)) }
    try run.mustSeparateStreams()
    return try run.run(progress)
  }
}

/// One import, from the first row to the last.
struct ImportRun {
  /// The changes that the history has of a row.
  struct Remembered {
    var first: SourceChange.Kind
    var last: Int64
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
  var entities: [MappedEntity] = []
  private(set) var report = SwiftDataImportReport()
  private var batch = ImportBatch()
  private var remembered: [RowID: Remembered] = [:]

  init(file: SwiftDataFile, log: EventLog, version: SchemaVersion, history: SourceHistory?) {
    self.file = file
    self.log = log
    self.version = version
    self.history = history
  }

  /// Checks that two rows have one stream only if they are of one hierarchy, whose keys differ.
  func mustSeparateStreams() throws(AnnalsError) {
    var roots: [String: String] = [:]
    for entity in entities {
      let root = roots[entity.mapping.stream] ?? entity.source.root
      roots[entity.mapping.stream] = root
      guard root == entity.source.root else {
        throw AnnalsError(
          .malformed,
          "the mapping has the stream '\(entity.mapping.stream)' for rows of '\(root)' and of "
            + "'\(entity.mapping.entity)'; give one of them another name")
      }
    }
  }

  mutating func run(_ progress: (SwiftDataImportReport) -> Void) throws(AnnalsError) -> SwiftDataImportReport {
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
    try deleteMissing(keys)
    try finish(progress)
    return report
  }

  /// Calls `body` with each row of the mapped entities.
  private mutating func rows(
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

  private mutating func finishIfFull(_ progress: (SwiftDataImportReport) -> Void) throws(AnnalsError) {
    if batch.isFull { try finish(progress) }
  }

  private mutating func finish(_ progress: (SwiftDataImportReport) -> Void) throws(AnnalsError) {
    try batch.append(to: log)
    progress(report)
  }
}

// Rows as they are now.
extension ImportRun {
  /// What the stream of a row holds.
  ///
  /// - Returns: `nil` if the stream is left alone.
  /// - Throws: ``AnnalsError`` with code `conflict` for a stream with events of another file.
  private func known(_ stream: StreamName) throws(AnnalsError) -> ImportedStream? {
    let known =
      if let pending = batch[stream] { pending } else { try ImportedStream.read(stream, of: file.id, in: log) }
    switch known.content {
    case .nothing, .imported: return known
    case .other: return nil
    case .foreign(let other):
      var details = AnnalsError.Details()
      details.stream = stream
      throw AnnalsError(
        .conflict,
        "the stream '\(stream)' has rows of the SwiftData store \(other), and '\(file.name)' is the store "
          + "\(file.id.uuidString); give its streams other names in the mapping, or import into a store of its own",
        details: details)
    }
  }

  /// Adds the event of a row that was there before the history begins.
  private mutating func addUnexplained(_ row: SourceRow, of entity: MappedEntity) throws(AnnalsError) {
    let changes = remembered[RowID(entity: entity.source.number, key: row.key)]
    guard changes?.first != .insert else { return }
    let stream = entity.stream(of: row.key)
    guard let known = try known(stream), known.content == .nothing else { return }
    try add(.insert, row.key, changes == nil ? row : nil, of: entity, known)
  }

  /// Adds the event that makes the stream of a row agree with the row, if it does not.
  private mutating func settle(_ row: SourceRow, of entity: MappedEntity) throws(AnnalsError) {
    guard let known = try known(entity.stream(of: row.key)) else {
      report.skipped += 1
      return
    }
    if case .imported(let event) = known.content, !event.isDeletion {
      guard event.digest != row.digest else { return }
      try add(.update, row.key, row, of: entity, known)
    } else {
      try add(.insert, row.key, row, of: entity, known)
    }
  }

  /// Adds the events of rows that were imported and are not in the file any more.
  private mutating func deleteMissing(_ keys: [String: Set<Int64>]) throws(AnnalsError) {
    for prefix in Set(entities.map(\.mapping.stream)).sorted() {
      let candidates = entities.filter { $0.mapping.stream == prefix }
      for key in try importedKeys(prefix) where !(keys[prefix]?.contains(key) ?? false) {
        let stream = StreamName("\(prefix)\(key)")
        guard let known = try known(stream), case .imported(let event) = known.content, !event.isDeletion
        else { continue }
        // Only the event says which of several entities with one table the row was of.
        let name = candidates.count == 1 ? candidates[0].mapping.entity : try entityName(stream)
        guard let entity = candidates.first(where: { $0.mapping.entity == name }) else { continue }
        try add(.delete, key, nil, of: entity, known)
        if batch.isFull { try batch.append(to: log) }
      }
    }
  }

  /// The primary keys in the names of the streams with a prefix.
  private func importedKeys(_ prefix: String) throws(AnnalsError) -> [Int64] {
    try log.read { snapshot throws(AnnalsError) in
      var keys: [Int64] = []
      var streams = try snapshot.streams(prefix: prefix)
      while let stream = try streams.next() {
        let digits = String(stream.name.text.dropFirst(prefix.count))
        if let key = Int64(digits), String(key) == digits { keys.append(key) }
      }
      return keys.sorted()
    }
  }

  /// The entity of the newest imported event of a stream.
  private func entityName(_ stream: StreamName) throws(AnnalsError) -> String? {
    try log.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries(in: stream, backwards: true)
      while let entry = try entries.next() {
        if let name = entry.metadata[ImportMark.key]?["entity"]?.text { return name }
      }
      return nil
    }
  }
}

// The changes of the history.
extension ImportRun {
  private mutating func remember(_ history: SourceHistory) throws(AnnalsError) {
    var remembered: [RowID: Remembered] = [:]
    try history.each(file.database) { change in
      remembered[RowID(entity: change.entity, key: change.key), default: .init(first: change.kind, last: 0)].last =
        change.number
    }
    self.remembered = remembered
  }

  private mutating func changes(
    _ history: SourceHistory, _ progress: (SwiftDataImportReport) -> Void
  ) throws(AnnalsError) {
    let saves = try history.saves(file.database)
    var run = self
    try history.each(file.database) { change throws(AnnalsError) in
      guard let save = saves[change.transaction] else {
        throw AnnalsError(
          .damaged,
          "'\(run.file.name)' is damaged: change \(change.number) of its history belongs to the save "
            + "\(change.transaction), which is missing")
      }
      try run.add(change, save)
      try run.finishIfFull(progress)
    }
    self = run
  }

  private mutating func add(_ change: SourceChange, _ save: SourceTransaction) throws(AnnalsError) {
    guard let entity = entities.first(where: { $0.source.number == change.entity }) else {
      report.otherChanges += 1
      return
    }
    guard let known = try known(entity.stream(of: change.key)) else { return }
    if case .imported(let event) = known.content, event.change >= change.number { return }
    let isLast = remembered[RowID(entity: change.entity, key: change.key)]?.last == change.number
    // Only after its last change does a row have the values that the file has.
    let row = isLast && change.kind != .delete ? try self.row(change.key, of: entity) : nil
    try add(change.kind, change.key, row, of: entity, known, change, save)
  }

  private func row(_ key: Int64, of entity: MappedEntity) throws(AnnalsError) -> SourceRow? {
    guard
      let values = try file.database.rows(
        entity.query("AND Z_PK = ?"), [.integer(entity.source.number), .integer(key)]
      ).first
    else { return nil }
    return try SourceRow(values, entity, in: file)
  }
}

// Events.
extension ImportRun {
  /// Adds one event to the batch.
  ///
  /// - Parameters:
  ///   - row: The values after the event; `nil` if they are not known.
  ///   - change: The change of the history that the event comes from, if it does.
  private mutating func add(
    _ kind: SourceChange.Kind, _ key: Int64, _ row: SourceRow?, of entity: MappedEntity,
    _ known: ImportedStream, _ change: SourceChange? = nil, _ save: SourceTransaction? = nil
  ) throws(AnnalsError) {
    let payloads = RowPayload(entity: entity, file: file, log: log)
    let result =
      if let row { try payloads.all(of: row) } else {
        RowPayload.Result(payload: try payloads.key(key), attachments: [])
      }
    let event = ImportedStream.Event(
      digest: row?.digest, change: change?.number ?? known.change, isDeletion: kind == .delete)
    let mark = EventMark(file: file, entity: entity, key: key, event: event, change: change, save: save)
    let isIncomplete = row == nil && kind != .delete
    let entry = NewEntry(
      type: entity.name(of: kind), version: version, payload: result.payload,
      id: mark.id(after: known.revision), metadata: mark.metadata(isIncomplete: isIncomplete),
      time: try file.timestamp(of: save),
      attachments: result.attachments)
    batch.add(entry, to: entity.stream(of: key), after: known, event)
    switch kind {
    case .insert: report.inserted += 1
    case .update: report.updated += 1
    case .delete: report.deleted += 1
    }
    if isIncomplete { report.incomplete += 1 }
  }
}

extension ImportedStream {
  /// The number of the last change of the history that is in the stream; 0 for none.
  var change: Int64 { if case .imported(let event) = content { event.change } else { 0 } }
}

extension MappedEntity {
  /// The record name of an event.
  func name(of kind: SourceChange.Kind) -> String {
    switch kind {
    case .insert: mapping.inserted
    case .update: mapping.updated
    case .delete: mapping.deleted
    }
  }
}
