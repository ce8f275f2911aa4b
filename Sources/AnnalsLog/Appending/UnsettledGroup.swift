internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

/// A group whose commit failed while LMDB's meta page was written, so it may or may not be stored.
struct UnsettledGroup {
  /// The answers for its callers if it is stored.
  let answers: [Result<Appended, AnnalsError>]
  /// Its last entry, which is stored if and only if all of them are.
  let last: EntryMark
  /// Why the commit failed.
  let cause: LMDBError
}

/// The identity of an entry at its position.
struct EntryMark: Equatable {
  private let position: UInt64
  private let count: Int
  /// The checksum covers the position and every other byte of the entry.
  private let checksum: UInt32

  /// The mark of the entry at `position`.
  init(_ position: UInt64, _ reader: StoreReader) throws(AnnalsError) {
    self.init(position, try reader.bytes(at: Position(position)))
  }

  private init(_ position: UInt64, _ bytes: Span<UInt8>) {
    self.position = position
    count = bytes.count
    checksum = EntryHeader.checksum(of: bytes, at: Position(position))
  }

  /// Whether the entry is at its position. Another process may have appended in its place, and after it.
  func isThere(_ reader: StoreReader) throws(AnnalsError) -> Bool {
    let found: Span<UInt8>?
    do throws(EnvironmentError) {
      found = try reader.view.value(forKey: position, in: reader.tables.entries)
    } catch {
      throw AnnalsError(error)
    }
    guard let found else { return false }
    return EntryMark(position, found) == self
  }
}
