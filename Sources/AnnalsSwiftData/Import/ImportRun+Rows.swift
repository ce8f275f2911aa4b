internal import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

// Rows as they are now.
extension ImportRun {
  /// What the stream of a row holds.
  ///
  /// - Returns: `nil` if the stream is left alone.
  /// - Throws: ``AnnalsError`` with code `conflict` for a stream with events of another file.
  func known(_ stream: StreamName, of row: RowID? = nil) throws(AnnalsError) -> ImportedStream? {
    let known =
      if let pending = batch[stream] ?? row.flatMap({ remembered[$0]?.known }) { pending } else {
        try ImportedStream.read(stream, of: file.id, deletions: deletions, in: log)
      }
    switch known.content {
    case .nothing, .imported: return known
    case .other: return known.stubs == nil ? nil : known
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
  mutating func addUnexplained(_ row: SourceRow, of entity: MappedEntity) throws(AnnalsError) {
    let changes = remembered[RowID(entity: entity.source.number, key: row.key)]
    guard changes?.first != .insert else { return }
    let stream = entity.stream(of: row.key)
    guard let known = try known(stream), known.content == .nothing else { return }
    try add(.insert, row.key, changes == nil ? row : nil, of: entity, known)
  }

  /// Adds the event that makes the stream of a row agree with the row, if it does not.
  mutating func settle(_ row: SourceRow, of entity: MappedEntity) throws(AnnalsError) {
    let id = RowID(entity: entity.source.number, key: row.key)
    guard let known = try known(entity.stream(of: row.key), of: id) else {
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
  mutating func deleteMissing(_ keys: [String: Set<Int64>]) throws(AnnalsError) {
    for prefix in Set(entities.map(\.mapping.stream)).sorted() {
      let candidates = entities.filter { $0.mapping.stream == prefix }
      for key in try importedKeys(prefix) where !(keys[prefix]?.contains(key) ?? false) {
        let stream = StreamName("\(prefix)\(key)")
        guard let known = try known(stream), case .imported(let event) = known.content, !event.isDeletion
        else { continue }
        guard let entity = try entity(ofRow: key, in: stream, among: candidates) else { continue }
        try add(.delete, key, nil, of: entity, known)
        if batch.isFull { report.add(try batch.append(to: log)) }
      }
    }
  }

  /// The primary keys in the names of the streams with a prefix.
  func importedKeys(_ prefix: String) throws(AnnalsError) -> [Int64] {
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

  /// The entity of an imported row that no mapped entity has any more.
  ///
  /// The newest imported event says which of several entities with one table the row was of: by the name of
  /// the event, because the app may have renamed the entity.
  ///
  /// - Returns: `nil` if it is of an entity that the mapping does not have.
  func entity(
    ofRow key: Int64, in stream: StreamName, among candidates: [MappedEntity]
  ) throws(AnnalsError) -> MappedEntity? {
    let newest: (type: String, entity: String)? = try log.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries(in: stream, backwards: true)
      while let entry = try entries.next() {
        if let name = entry.metadata[ImportMark.key]?["entity"]?.text { return (entry.type, name) }
      }
      return nil
    }
    guard let newest else { return nil }
    let named =
      candidates.first { $0.mapping.inserted == newest.type || $0.mapping.updated == newest.type }
      ?? candidates.first { $0.mapping.entity == newest.entity }
    // An entity with other names than at the last import, which is the only one of these streams.
    let isKnown = named != nil || file.entities.contains { $0.name == newest.entity }
    return isKnown || candidates.count > 1 ? named : candidates.first
  }
}
