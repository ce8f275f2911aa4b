#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The place of a file's journal: two slots inside one value that is put once and never changed, so that LMDB
/// never writes its pages again.
///
/// Each slot begins a page, so two records never share a sector. The record of a commit goes to the slot of
/// the parity of its number.
struct CommitJournal: Equatable {
  /// The size of a slot in bytes.
  static let slotSize = 32 << 10
  /// The size of the value. Its first slot begins at its first whole page.
  static let valueSize = 2 * slotSize + pageSize
  /// The key of the value in its table.
  static let key = Array("slots".utf8)

  /// The number of pages of the value, with LMDB's header.
  static let pages = (valueSize + 16 + pageSize - 1) / pageSize
  /// The mark of the first page of a large value (`P_OVERFLOW`).
  private static let overflow = 0x04

  /// The offset of the first slot in the file.
  let offset: Int

  /// Returns the journal at an offset in the file; `nil` for the offset 0.
  init?(offset: Int) {
    guard offset > 0 else { return nil }
    self.offset = offset
  }

  /// Finds the slots in the pages of the value.
  ///
  /// - Parameter value: The value in the file's map. A large value begins 16 bytes after the start of its own
  ///   pages, and these bytes begin with the page's number (`MDB_page` of LMDB 0.9).
  init?(of value: Span<UInt8>) {
    guard value.count == Self.valueSize else { return nil }
    var number: UInt64 = 0
    unsafe value.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, UInt(bitPattern: start) % UInt(pageSize) == 16 else { return }
      unsafe number = (start - 16).loadUnaligned(as: UInt64.self)
    }
    guard (2..<1 << 34).contains(number) else { return nil }
    offset = (Int(number) + 1) * pageSize
  }

  /// Whether the file has a large value of this size there, within its pages. One wrong bit in the number
  /// would let records overwrite other pages.
  func isSound(in descriptor: Int32, lastPage: Int, _ name: String) throws(StoreFileError) -> Bool {
    let first = offset / pageSize - 1
    let header = try Self.read(16, from: descriptor, at: first * pageSize, name)
    guard header.count == 16, first + Self.pages - 1 <= lastPage else { return false }
    let bytes = header.span
    return bytes.number64(at: 0) == UInt64(first) && bytes.number16(at: 10) == Self.overflow
      && bytes.number32(at: 12) == UInt32(Self.pages)
  }

  /// Writes the newest meta page again, unchanged, so that the next flush includes it. After a failed flush
  /// the system may take it for written; only for the one that has the turn at writing.
  static func writeMetaAgain(after transaction: UInt64, in descriptor: Int32, _ name: String)
    throws(StoreFileError)
  {
    let offset = Int(transaction & 1) * pageSize + 16
    try write(try read(136, from: descriptor, at: offset, name), to: descriptor, at: offset, name)
  }

  /// The offset of the slot for a commit.
  private func offset(of transaction: UInt64) -> Int { offset + Int(transaction & 1) * Self.slotSize }

  /// Writes the record of a commit to its slot.
  func write(_ record: [UInt8], of transaction: UInt64, to descriptor: Int32, _ name: String)
    throws(StoreFileError)
  {
    try Self.write(record, to: descriptor, at: offset(of: transaction), name)
  }

  /// Removes the record from the slot of a commit.
  func erase(_ transaction: UInt64, in descriptor: Int32, _ name: String) throws(StoreFileError) {
    let zeros = [UInt8](repeating: 0, count: CommitRecord.headerSize)
    try Self.write(zeros, to: descriptor, at: offset(of: transaction), name)
  }

  /// Returns the content of the slot for a commit.
  func slot(of transaction: UInt64, in descriptor: Int32, _ name: String) throws(StoreFileError) -> [UInt8] {
    try Self.read(Self.slotSize, from: descriptor, at: offset(of: transaction), name)
  }

  /// Returns the number in the header of a slot's record, whether the record is whole or not.
  func number(inSlotOf transaction: UInt64, in descriptor: Int32, _ name: String) throws(StoreFileError)
    -> UInt64
  {
    let header = try Self.read(16, from: descriptor, at: offset(of: transaction), name)
    return header.count == 16 ? header.span.number64(at: 8) : 0
  }

  /// Returns the digest of a state: the CRC-32C of what the meta page of its commit says.
  static func base(after transaction: UInt64, in descriptor: Int32, _ name: String) throws(StoreFileError)
    -> UInt32
  {
    let meta = try read(136, from: descriptor, at: Int(transaction & 1) * pageSize + 16, name)
    return crc32c(0, meta.span)
  }

  private static func read(
    _ count: Int, from descriptor: Int32, at offset: Int, _ name: String
  ) throws(StoreFileError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let read = try system("pread", name) { Self.read(&bytes, from: done, descriptor, offset + done) }
      guard read > 0 else { break }
      done += read
    }
    bytes.removeSubrange(done...)
    return bytes
  }

  private static func read(_ bytes: inout [UInt8], from start: Int, _ descriptor: Int32, _ offset: Int) -> Int
  {
    unsafe bytes.withUnsafeMutableBytes { buffer in
      let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[start...])
      return unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset))
    }
  }

  private static func write(
    _ bytes: [UInt8], to descriptor: Int32, at offset: Int, _ name: String
  ) throws(StoreFileError) {
    var done = 0
    while done < bytes.count {
      done += try system("pwrite", name) { Self.write(bytes, from: done, descriptor, offset + done) }
    }
  }

  private static func write(_ bytes: [UInt8], from start: Int, _ descriptor: Int32, _ offset: Int) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[start...])
      return unsafe pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset))
    }
  }
}
