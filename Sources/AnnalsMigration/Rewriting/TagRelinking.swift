internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Links the tags of entries in the generation that is being built.
///
/// Stubs have no tags there, so the links of the entries after them change. A tag whose entries are all
/// stubs has no row, and its text is nowhere in the file. Only stubs that conditions of a cluster compare
/// keep their tags.
struct TagRelinking {
  private let table: Table
  private let tables: StoreTables
  private var heads = TagHeads()

  /// Prepares to link entries; `nil` if the generation has no table of tags.
  init?(_ transaction: borrowing WriteTransaction, _ tables: StoreTables) {
    guard let table = transaction.environment.tags else { return nil }
    self.table = table
    self.tables = tables
  }

  /// Returns an entry with the links that its tags have in the new generation; `nil` if it has no tags.
  mutating func relinked(
    _ entry: Span<UInt8>, at position: Position, _ transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> [UInt8]? {
    guard EntryHeader.mayHaveExtensions(entry) else { return nil }
    let header: EntryHeader
    let tags: [EventTag]
    var extensions: EntryExtensions
    do throws(FormatFailure) {
      header = try EntryHeader(entry, at: position)
      extensions = try EntryExtensions(entry, header)
      guard extensions[TagList.key] != nil else { return nil }
      let isLost = header.flags.contains(.stub) && extensions[OriginalType.key] == nil
      tags = isLost ? [] : try header.tags(in: entry, at: position)
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    var list = TagListDraft()
    let reader = StoreReader(transaction.view, tables)
    for (index, tag) in tags.enumerated() {
      let hash = StreamHash(tag.text.utf8.span)
      let (ordinal, links) = try heads.extend(
        tag, hash, to: position.rawValue, index: index, in: table, reader)
      list.add(tag.text.utf8.span, ordinal: ordinal, links)
    }
    extensions[TagList.key] = list.count > 0 ? list.value : nil
    let bytes = extensions.encoded()
    var copy = EntryCopy(
      entry, header, kind: header.kind, form: header.form, body: entry.extracting(header.body))
    copy.extensions = bytes.span
    copy.rows = entry.extracting(header.rows..<header.body.lowerBound)
    return copy.encoded(at: position)
  }

  /// Writes the rows of the tags that were linked.
  mutating func put(in transaction: inout WriteTransaction) throws(AnnalsError) {
    try heads.put(in: table, &transaction)
  }
}

extension EntryHeader {
  /// Whether an entry has extensions, by its flags alone.
  fileprivate static func mayHaveExtensions(_ entry: Span<UInt8>) -> Bool {
    guard entry.count > 2 else { return false }
    return EntryFlags(rawValue: UInt16(entry[1]) | UInt16(entry[2]) << 8).contains(.extensions)
  }
}
