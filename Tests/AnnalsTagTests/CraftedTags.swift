import Foundation

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import LMDB

/// Changes bytes of tags below everything that would refuse it, under checksums that are right.
struct CraftedTags {
  let url: URL

  /// Changes the file of the generation in use.
  private func craft(
    _ body: (inout WriteTransaction, StoreTables, Table) throws -> Void
  ) throws {
    let directory = try Directory.open(path: url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    let environment = try Environment.open(
      "log-000001.mdb", in: directory, tables: StoreTables.definitions, locks: locks,
      options: EnvironmentOptions(generation: .readWrite))
    let tables = StoreTables(environment)
    guard let tags = environment.tags else { throw Missing() }
    var failure: (any Error)?
    try environment.write { (transaction) throws(EnvironmentError) in
      do { try body(&transaction, tables, tags) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  private struct Missing: Error {}

  /// The value of the extension with the tags of an entry.
  func list(at position: Position) throws -> [UInt8] {
    var list: [UInt8] = []
    try craft { transaction, tables, _ in
      let bytes = try StoreReader(transaction.view, tables).bytes(at: position)
      list = try EntryExtensions(bytes, EntryHeader(bytes, at: position))[TagList.key] ?? []
    }
    return list
  }

  /// Replaces the value of the extension with the tags of an entry.
  func put(_ list: [UInt8], at position: Position) throws {
    try craft { transaction, tables, _ in
      let stored = try StoreReader(transaction.view, tables).bytes(at: position).copied
      let bytes = stored.span
      let header = try EntryHeader(bytes, at: position)
      var extensions = try EntryExtensions(bytes, header)
      extensions[TagList.key] = list
      let encoded = extensions.encoded()
      var copy = EntryCopy(
        bytes, header, kind: header.kind, form: header.form, body: bytes.extracting(header.body))
      copy.extensions = encoded.span
      copy.rows = bytes.extracting(header.rows..<header.body.lowerBound)
      let changed = copy.encoded(at: position)
      try transaction.put(changed.span, forKey: position.rawValue, in: tables.entries)
    }
  }

  /// Replaces an entry by bytes that are none.
  func spoil(at position: Position) throws {
    try craft { transaction, tables, _ in
      let bytes = [UInt8](repeating: 1, count: 60)
      try transaction.put(bytes.span, forKey: position.rawValue, in: tables.entries)
    }
  }

  /// Extends heads of tags, and writes their rows.
  func extend(_ body: (inout TagHeads, Table, StoreReader) throws -> Void) throws {
    var heads = TagHeads()
    try extend(&heads, body)
  }

  /// Extends heads of tags that a writer may know from before, and writes their rows.
  func extend(
    _ heads: inout TagHeads, _ body: (inout TagHeads, Table, StoreReader) throws -> Void
  ) throws {
    try craft { transaction, tables, table in
      try body(&heads, table, StoreReader(transaction.view, tables))
      try heads.put(in: table, &transaction)
      heads.trim()
    }
  }

  /// The row of a tag, without its checksum.
  func row(_ tag: EventTag) throws -> [UInt8] {
    var row: [UInt8] = []
    try craft { transaction, _, tags in
      let key = Array(tag.text.utf8)
      if let value = try transaction.view.value(forKey: key.span, in: tags) {
        row = Array(value.copied.dropLast(4))
      }
    }
    return row
  }

  /// Replaces the row of a tag; `nil` removes it.
  func put(_ row: [UInt8]?, _ tag: EventTag, isSealed: Bool = true) throws {
    try craft { transaction, _, tags in
      let key = Array(tag.text.utf8)
      guard let row else {
        _ = try transaction.delete(key: key.span, in: tags)
        return
      }
      let value = isSealed ? Row.seal(row, key: key) : row
      try transaction.put(value.span, forKey: key.span, in: tags)
    }
  }
}

/// Varints as they are in lists and rows of tags.
extension [UInt8] {
  /// The bytes of some numbers, one after the other.
  static func varints(_ numbers: UInt64...) -> [UInt8] {
    var bytes: [UInt8] = []
    for number in numbers { bytes.append(varint: number) }
    return bytes
  }
}
