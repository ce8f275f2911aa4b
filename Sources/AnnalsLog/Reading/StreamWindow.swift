internal import AnnalsCoding
internal import AnnalsFormat
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

  /// Reads the entry at `position`, which must be there.
  mutating func append(_ position: Position, _ reader: StoreReader) throws(AnnalsError) {
    let isThere: Bool
    do { isThere = try values.append(valueForKey: position.rawValue) } catch { throw AnnalsError(error) }
    guard isThere else { throw AnnalsError(missing: position) }
    headers.append(try reader.header(values[values.count - 1], at: position))
  }

  /// The bytes of the entry that was read last.
  var newestBytes: Span<UInt8> {
    @_lifetime(copy self)
    get { values[headers.count - 1] }
  }

  /// The header of the entry that was read last.
  var newestHeader: EntryHeader { headers[headers.count - 1] }

  /// Reads the entry at `position`, which must be there and have this revision of the stream.
  ///
  /// - Returns: The position of the entry before it; its own for revision 0.
  mutating func read(
    _ position: Position, revision: Revision, of stream: Position, _ reader: StoreReader
  ) throws(AnnalsError) -> Position {
    try append(position, reader)
    let header = newestHeader
    try reader.check(header, at: position, is: revision, of: stream)
    return revision.rawValue == 0
      ? position : try reader.linked(header, level: 0, from: position, in: newestBytes)
  }

  /// Returns the entry that was read as the one numbered `index`, and is at `position`; `nil` if there is
  /// none of this number.
  @_lifetime(copy self)
  func entry(_ index: Int, at position: Position) -> LentEntry? {
    guard index < headers.count else { return nil }
    return LentEntry(position: position, header: headers[index], bytes: values[index])
  }
}
