internal import Annals

// Events.
extension ImportRun {
  /// Adds one event to the batch.
  ///
  /// - Parameters:
  ///   - row: The values after the event; `nil` if they are not known.
  ///   - change: The change of the history that the event comes from, if it does.
  mutating func add(
    _ kind: SourceChange.Kind, _ key: Int64, _ row: SourceRow?, of entity: MappedEntity,
    _ known: ImportedStream, _ change: SourceChange? = nil, _ save: SourceTransaction? = nil
  ) throws(AnnalsError) {
    let payloads = RowPayload(entity: entity, file: file, log: log)
    let result =
      if let row { try payloads.all(of: row) } else {
        RowPayload.Result(payload: try payloads.key(key), attachments: [])
      }
    let event = ImportedStream.Event(
      digest: row?.digest, change: max(known.change, change?.number ?? lastOmitted),
      isDeletion: kind == .delete)
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
