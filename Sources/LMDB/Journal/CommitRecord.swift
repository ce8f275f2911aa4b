internal import CAnnals

/// The changes of one commit, as the journal stores them (docs/format.md, "The journal").
///
/// It is a list of keys that are set or removed, so that repeating it on the state before the commit gives
/// the state after it. Whether a record is whole shows its hash (SipHash-2-4 with 128 bits, Aumasson and
/// Bernstein, 2012). A CRC could not: the values end with CRCs of their own, and exchanging such a value for
/// another one of its length leaves a CRC of the same polynomial over all of them as it was.
struct CommitRecord {
  /// The number of bytes before the changes.
  static let headerSize = 60
  /// `AnnalsJ2` in the order of bytes in the file.
  private static let mark: UInt64 = 0x324A_736C_616E_6E41
  /// The bytes of the header that hold the hash.
  private static let hash = 44..<60

  /// `AnnalsJ1`: a record of an earlier library, whose header ends with a CRC-32C.
  private static let earlierMark: UInt64 = 0x314A_736C_616E_6E41
  /// The number of bytes before the changes of an earlier record.
  private static let earlierHeaderSize = 48

  /// A change of a table.
  enum Change: Equatable {
    case put(table: String, key: [UInt8], value: [UInt8])
    case delete(table: String, key: [UInt8])
  }

  private enum Kind: UInt8 { case put = 1, delete }

  /// The bytes so far; the header is written last.
  private var bytes = [UInt8](repeating: 0, count: Self.headerSize)
  private var count: UInt32 = 0
  /// The maximum number of bytes.
  private let limit: Int
  /// Whether it has no changes.
  var isEmpty: Bool { count == 0 }
  /// Whether all changes are in the record.
  private(set) var isComplete = true

  /// Creates the record of a commit without changes.
  init(limit: Int) {
    self.limit = limit
    bytes.reserveCapacity(1024)
  }

  /// Adds a key that is set.
  mutating func put(_ table: Table, _ key: Span<UInt8>, _ value: Span<UInt8>) {
    guard begin(.put, table, key, valueCount: value.count) else { return }
    bytes.append(key)
    bytes.append(value)
  }

  /// Adds a key that is removed.
  mutating func delete(_ table: Table, _ key: Span<UInt8>) {
    guard begin(.delete, table, key, valueCount: 0) else { return }
    bytes.append(key)
  }

  /// Calls `body` with the bytes of a key that is a number.
  static func with(_ key: UInt64, _ body: (Span<UInt8>) -> Void) {
    var number = key.littleEndian
    unsafe withUnsafeBytes(of: &number) { unsafe body(Span(_unsafeBytes: $0)) }
  }

  private mutating func begin(_ kind: Kind, _ table: Table, _ key: Span<UInt8>, valueCount: Int) -> Bool {
    let name = table.definition.name
    guard isComplete, bytes.count + 8 + name.utf8.count + key.count + valueCount <= limit else {
      isComplete = false
      return false
    }
    count += 1
    bytes.append(kind.rawValue)
    bytes.append(UInt8(truncatingIfNeeded: name.utf8.count))
    bytes.append(littleEndian: UInt16(truncatingIfNeeded: key.count))
    bytes.append(littleEndian: UInt32(truncatingIfNeeded: valueCount))
    bytes.append(contentsOf: name.utf8)
    return true
  }

  /// Returns the whole record.
  ///
  /// - Parameters:
  ///   - transaction: The number of the commit.
  ///   - base: The digest of the state before it.
  ///   - fileRun: See ``fileRun(of:)``.
  consuming func encoded(transaction: UInt64, base: UInt32, fileRun: [UInt8]) -> [UInt8] {
    var header: [UInt8] = []
    header.append(littleEndian: Self.mark)
    header.append(littleEndian: transaction)
    header.append(littleEndian: UInt32(bytes.count))
    header.append(littleEndian: count)
    header.append(littleEndian: base)
    header.append(contentsOf: fileRun)
    bytes.replaceSubrange(0..<header.count, with: header)
    bytes.replaceSubrange(Self.hash, with: Self.hash(of: bytes.span))
    return bytes
  }

  /// Returns a mark of a file in this run of the system: the boot's id combined with the file's identity. It
  /// is 16 zeros where the system has no such id.
  ///
  /// Bytes written to this file in this run are there, whichever process ended. In another run, or in a copy,
  /// what was not flushed may be missing.
  static func fileRun(of file: FileIdentity) -> [UInt8] {
    let digits = (Boot.id ?? "").utf8.filter { $0 != UInt8(ascii: "-") }
    guard digits.count == 32 else { return [UInt8](repeating: 0, count: 16) }
    var mark: [UInt8] = []
    for index in 0..<16 {
      let pair = String(decoding: digits[2 * index..<2 * index + 2], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else { return [UInt8](repeating: 0, count: 16) }
      let number = index < 8 ? file.device : file.inode
      mark.append(byte ^ UInt8(truncatingIfNeeded: number >> (8 * UInt64(index % 8))))
    }
    return mark
  }

  /// The hash of a record whose own bytes for it are zeros.
  private static func hash(of bytes: Span<UInt8>) -> [UInt8] {
    let key: [UInt64] = [0, 0]
    var hash: [UInt64] = [0, 0]
    unsafe bytes.withUnsafeBytes { unsafe annals_siphash(key, $0.baseAddress, $0.count, &hash) }
    var result: [UInt8] = []
    for number in hash { result.append(littleEndian: number) }
    return result
  }

  private static func hasHash(_ bytes: Span<UInt8>) -> Bool {
    var record = bytes.copy(0..<bytes.count)
    let stored = Array(record[hash])
    record.replaceSubrange(hash, with: [UInt8](repeating: 0, count: hash.count))
    return hash(of: record.span) == stored
  }

  /// Whether an earlier record has its checksum, which is over all of its bytes except the checksum.
  private static func hasEarlierChecksum(_ bytes: Span<UInt8>) -> Bool {
    let header = bytes.extracting(0..<earlierHeaderSize - 4)
    let changes = bytes.extracting(earlierHeaderSize..<bytes.count)
    return crc32c(crc32c(0, header), changes) == bytes.number32(at: earlierHeaderSize - 4)
  }
}

extension CommitRecord {
  /// The header of a whole record.
  struct Header: Equatable {
    /// The number of the commit.
    let transaction: UInt64
    /// The digest of the state before it.
    let base: UInt32
    /// The number of changes.
    let count: Int
    /// The number of bytes of the record.
    let size: Int
    /// The number of bytes before its changes.
    let start: Int
    /// The mark of the file in the run of the system that wrote it.
    let fileRun: [UInt8]

    /// Reads the record in a slot; `nil` if there is no whole one.
    init?(_ slot: Span<UInt8>) {
      guard slot.count >= headerSize else { return nil }
      switch slot.number64(at: 0) {
      case mark: start = headerSize
      case earlierMark: start = earlierHeaderSize
      default: return nil
      }
      size = Int(slot.number32(at: 16))
      guard (start...slot.count).contains(size) else { return nil }
      transaction = slot.number64(at: 8)
      count = Int(slot.number32(at: 20))
      base = slot.number32(at: 24)
      fileRun = slot.copy(28..<44)
      let record = slot.extracting(0..<size)
      guard start == headerSize ? hasHash(record) : hasEarlierChecksum(record) else { return nil }
    }
  }

  /// Returns the changes of a whole record; `nil` if they are not what this library writes.
  static func changes(_ slot: Span<UInt8>, _ header: Header) -> [Change]? {
    var changes: [Change] = []
    var at = header.start
    while changes.count < header.count {
      guard at + 8 <= header.size, let kind = Kind(rawValue: slot[at]) else { return nil }
      let nameEnd = at + 8 + Int(slot[at + 1])
      let keyEnd = nameEnd + Int(slot.number16(at: at + 2))
      let end = keyEnd + Int(slot.number32(at: at + 4))
      guard end <= header.size,
        let table = String(validating: slot.copy(at + 8..<nameEnd), as: UTF8.self)
      else { return nil }
      let key = slot.copy(nameEnd..<keyEnd)
      switch kind {
      case .put: changes.append(.put(table: table, key: key, value: slot.copy(keyEnd..<end)))
      case .delete: changes.append(.delete(table: table, key: key))
      }
      at = end
    }
    return at == header.size ? changes : nil
  }
}

/// The CRC-32C of some bytes after others.
func crc32c(_ start: UInt32, _ bytes: Span<UInt8>) -> UInt32 {
  unsafe bytes.withUnsafeBytes { unsafe annals_crc32c(start, $0.baseAddress, $0.count) }
}

extension Span where Element == UInt8 {
  /// A copy of a range of the bytes.
  fileprivate func copy(_ range: Range<Int>) -> [UInt8] {
    unsafe extracting(range).withUnsafeBytes { unsafe Array($0) }
  }
}

extension [UInt8] {
  fileprivate mutating func append(_ span: Span<UInt8>) {
    unsafe span.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }

  fileprivate mutating func append<Number: FixedWidthInteger>(littleEndian number: Number) {
    for index in 0..<Number.bitWidth / 8 { append(UInt8(truncatingIfNeeded: number >> (8 * Number(index)))) }
  }
}
