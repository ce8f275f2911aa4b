internal import AnnalsCoding
internal import LMDB

/// Entries of a stream that a look-up has read and checked, so that the read that follows finds them again
/// without a search.
struct StreamWindow: ~Copyable, ~Escapable {
  private var values: ValueWindow
  private var headers: [EntryHeader] = []

  @_lifetime(copy reader)
  init(_ reader: StoreReader) {
    values = ValueWindow(reader.tables.entries, in: reader.view)
  }

  /// Removes all entries.
  mutating func removeAll() {
    values.removeAll()
    headers.removeAll(keepingCapacity: true)
  }

  /// Reads the entry at `position`, which must be there and have this revision of the stream.
  ///
  /// - Returns: The position of the entry before it; its own for revision 0.
  mutating func read(
    _ position: Position, revision: Revision, of stream: Position, _ reader: StoreReader
  ) throws(AnnalsError) -> Position {
    let isThere: Bool
    do { isThere = try values.append(valueForKey: position.rawValue) } catch { throw AnnalsError(error) }
    guard isThere else { throw AnnalsError(missing: position) }
    let bytes = values[values.count - 1]
    let header = try reader.header(bytes, at: position)
    try reader.check(header, at: position, is: revision, of: stream)
    headers.append(header)
    return revision.rawValue == 0
      ? position : try reader.linked(header, level: 0, from: position, in: bytes)
  }

  /// Returns the entry that was read as the one numbered `index`, and is at `position`; `nil` if there is
  /// none of this number.
  @_lifetime(copy self)
  func entry(_ index: Int, at position: Position) -> LentEntry? {
    guard index < headers.count else { return nil }
    return LentEntry(position: position, header: headers[index], bytes: values[index])
  }
}
