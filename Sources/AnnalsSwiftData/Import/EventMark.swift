internal import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The origin of an event: its id and its metadata.
struct EventMark {
  let file: SwiftDataFile
  let entity: MappedEntity
  let key: Int64
  let event: ImportedStream.Event
  let change: SourceChange?
  let save: SourceTransaction?

  /// Returns the id of the event.
  ///
  /// It follows from the file, the row and either the number of the change or the row's values and the place
  /// in the stream. So a row that changes back to earlier values gets a new id.
  func id(after revision: Revision?) -> UUID {
    if let change { return id(ofChange: change.number) }
    let revision = revision.map { "\($0)" } ?? "-"
    return id(Array("row \(revision) \(event.isDeletion) ".utf8) + (event.digest ?? []))
  }

  /// Returns the id of the event of a change of the row.
  func id(ofChange number: Int64) -> UUID { id(Array("change \(number)".utf8)) }

  /// Whether an id has the form of those of imported events.
  static func isMark(_ id: UUID) -> Bool { id.uuid.6 & 0xf0 == 0x80 }

  private func id(_ place: [UInt8]) -> UUID {
    var hash = SHA256()
    hash.update(Array("annals-swiftdata".utf8))
    hash.update(file.id.bytes)
    hash.update(Array("\(entity.source.root)\u{0}\(key)\u{0}".utf8))
    hash.update(place)
    var bytes = Array(hash.finalize().prefix(16))
    // A UUID of version 8, whose other bits are free (RFC 9562).
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9],
        bytes[10], bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }

  /// Returns the metadata of the event.
  func metadata(isIncomplete: Bool) -> Metadata {
    var source: [CBOR.Pair] = [
      .init(.text(ImportMark.store), .text(file.id.uuidString)),
      .init("entity", .text(entity.mapping.entity)),
      .init("key", CBOR(Int(key))),
    ]
    if let digest = event.digest { source.append(.init("digest", .bytes(digest))) }
    if event.isDeletion { source.append(.init("deleted", true)) }
    if let change {
      source.append(.init("change", CBOR(Int(change.number))))
      source.append(.init("transaction", CBOR(Int(change.transaction))))
      if let columns = change.columns { source.append(.init("columns", .bytes(columns))) }
      if let names = change.changed(of: file.model?.entities[entity.source.name]) {
        source.append(.init("changed", .array(names.map { .text($0) })))
      }
      if let tombstones = tombstones(of: change) { source.append(.init("tombstones", tombstones)) }
    }
    if event.change > change?.number ?? 0 { source.append(.init("after", CBOR(Int(event.change)))) }
    if let author = save?.author { source.append(.init("author", .text(author))) }
    var metadata: Metadata = [ImportMark.key: .map(source)]
    if isIncomplete {
      metadata[ImportMark.incomplete] = true
      metadata[ImportMark.unknown] = .array(entity.mapping.fields.map { .text($0.field) })
    }
    return metadata
  }

  /// The kept values of a deleted row: by name if the model names them, else in the order of their columns.
  private func tombstones(of change: SourceChange) -> CBOR? {
    let values = change.tombstones.map(Self.value)
    guard values.contains(where: { $0 != .null }) else { return nil }
    let names = file.model?.entities[entity.source.name]?.keptNames ?? []
    guard !names.isEmpty, names.count <= values.count, values[names.count...].allSatisfy({ $0 == .null })
    else {
      return .array(values)
    }
    return .map(zip(names, values).filter { $0.1 != .null }.map { .init(.text($0.0), $0.1) })
  }

  /// A kept value of a deleted row.
  private static func value(_ value: SQLiteValue) -> CBOR {
    switch value {
    case .null: .null
    case .integer(let number): CBOR(Int(number))
    case .real(let number): .double(number)
    case .text(let text): .text(text)
    case .malformedText(let bytes), .blob(let bytes): .bytes(bytes)
    }
  }
}

extension SwiftDataFile {
  /// The time of a save; `nil` without one.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` outside the years 1 to 9999.
  func timestamp(of save: SourceTransaction?) throws(AnnalsError) -> Timestamp? {
    guard let seconds = save?.time else { return nil }
    guard let time = Timestamp(Date(timeIntervalSinceReferenceDate: seconds)) else {
      throw AnnalsError(
        .damaged, "'\(name)' is damaged: a save of its history is \(seconds) seconds after 2001-01-01")
    }
    return time
  }
}
