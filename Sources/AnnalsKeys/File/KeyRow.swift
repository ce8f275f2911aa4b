internal import AnnalsCoding

/// What the file of keys has of one subject: its keys, or that they were dropped.
struct KeyRow: Equatable, Sendable {
  /// A key with its number.
  struct Numbered: Equatable, Sendable {
    var number: UInt32
    var key: [UInt8]
  }

  /// The keys, oldest first; empty if they were dropped.
  var keys: [Numbered]

  /// A row that says that the keys were dropped.
  static let dropped = KeyRow(keys: [])

  /// Whether the keys were dropped.
  var isDropped: Bool { keys.isEmpty }

  init(keys: [Numbered]) {
    self.keys = keys
  }

  /// The key with this number; `nil` if there is none.
  func key(_ number: UInt32) -> SubjectKey? {
    keys.first { $0.number == number }.flatMap { SubjectKey($0.key) }
  }

  /// The name of the row: the SHA-256 of the subject's id, which is not in the file itself.
  static func name(of subject: String) -> [UInt8] { SHA256.hash(subject.utf8) }

  /// The count of the keys as a varint, then for each its number (four bytes, lowest first) and its 32 bytes.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: UInt64(keys.count))
    for key in keys {
      bytes.append(littleEndian: key.number)
      bytes += key.key
    }
    return bytes
  }

  init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let count = try reader.varint()
    guard count <= UInt64(bytes.count) else { throw FormatFailure(.value, at: 0) }
    keys = []
    for _ in 0..<count {
      let number = try reader.littleEndian(UInt32.self)
      keys.append(Numbered(number: number, key: reader.copy(try reader.range(count: SubjectKey.size))))
    }
    try reader.finish()
  }
}
