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

  /// The number of entries.
  var count: Int { headers.count }

  /// Makes room for entries that will be read.
  mutating func reserveCapacity(_ count: Int) {
    values.reserveCapacity(count)
    headers.reserveCapacity(count)
  }

  /// Removes all entries.
  mutating func removeAll() {
    values.removeAll()
    headers.removeAll(keepingCapacity: true)
  }

  /// Reads the entries at `positions` from an index on, which must be there. The memory of all of them is
  /// fetched at the same time.
  mutating func append(
    _ positions: [UInt64], from start: Int, _ reader: StoreReader
  ) throws(AnnalsError) {
    let end: Int
    do { end = try values.append(valuesForKeys: positions, from: start) } catch { throw AnnalsError(error) }
    for index in start..<end {
      headers.append(try reader.header(values[headers.count], at: Position(positions[index])))
    }
    guard end == positions.count else { throw AnnalsError(missing: Position(positions[end])) }
  }

  /// The bytes of the entry that was read as the one numbered `index`.
  @_lifetime(copy self)
  func bytes(_ index: Int) -> Span<UInt8> { values[index] }

  /// The header of the entry that was read as the one numbered `index`.
  func header(_ index: Int) -> EntryHeader { headers[index] }

  /// Returns the entry that was read as the one numbered `index`, and is at `position`; `nil` if there is
  /// none of this number.
  @_lifetime(copy self)
  func entry(_ index: Int, at position: Position) -> LentEntry? {
    guard index < headers.count else { return nil }
    return LentEntry(position: position, header: headers[index], bytes: values[index])
  }
}
