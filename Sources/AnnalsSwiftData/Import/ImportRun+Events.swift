internal import Annals

// Events.
extension ImportRun {
  /// Adds one event to the batch, unless a migration pass has left a stub of it.
  ///
  /// - Parameters:
  ///   - row: The values after the event; `nil` if they are not known.
  ///   - change: The change of the history that the event comes from, if it does.
  mutating func add(
    _ kind: SourceChange.Kind, _ key: Int64, _ row: SourceRow?, of entity: MappedEntity,
    _ known: ImportedStream, _ change: SourceChange? = nil, _ save: SourceTransaction? = nil
  ) throws(AnnalsError) {
    let event = ImportedStream.Event(
      digest: row?.digest, change: max(known.change, change?.number ?? lastOmitted),
      isDeletion: kind == .delete)
    let mark = EventMark(file: file, entity: entity, key: key, event: event, change: change, save: save)
    let id = RowID(entity: entity.source.number, key: key)
    if let stubs = known.stubs {
      guard !has(stubs, mark, of: id) else {
        remembered[id]?.known = ImportedStream(
          revision: known.revision, content: .imported(event), stubs: stubs)
        return
      }
      // A stream of stubs alone may be of another file, until one of them is an event of the row.
      guard known.content != .other else {
        if change == nil { report.skipped += 1 }
        return
      }
    }
    let payloads = RowPayload(entity: entity, file: file, log: log)
    let result =
      if let row { try payloads.all(of: row) } else {
        RowPayload.Result(payload: try payloads.key(key), attachments: [])
      }
    let isIncomplete = row == nil && kind != .delete
    let entry = NewEntry(
      type: entity.name(of: kind), version: version, payload: result.payload,
      id: mark.id(after: known.revision), metadata: mark.metadata(isIncomplete: isIncomplete),
      time: try file.timestamp(of: save),
      attachments: result.attachments)
    remembered[id]?.known = nil
    batch.add(entry, to: entity.stream(of: key), after: known, event)
    batch.report.count(kind, isIncomplete: isIncomplete)
  }

  /// Whether a stub is of the event that would be added: of its change, or of the row as it is, which is as
  /// the last change of the history has left it.
  private func has(_ stubs: ImportedStream.Stubs, _ mark: EventMark, of row: RowID) -> Bool {
    if mark.change != nil { return stubs.ids.contains(mark.id(after: nil)) }
    if stubs.id == mark.id(after: stubs.before) { return true }
    return remembered[row].map { stubs.ids.contains(mark.id(ofChange: $0.last)) } ?? false
  }
}

extension SwiftDataImportReport {
  /// Counts an event.
  fileprivate mutating func count(_ kind: SourceChange.Kind, isIncomplete: Bool) {
    switch kind {
    case .insert: inserted += 1
    case .update: updated += 1
    case .delete: deleted += 1
    }
    if isIncomplete { incomplete += 1 }
  }

  /// Adds the events that another report counts.
  mutating func add(_ other: SwiftDataImportReport) {
    inserted += other.inserted
    updated += other.updated
    deleted += other.deleted
    incomplete += other.incomplete
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
