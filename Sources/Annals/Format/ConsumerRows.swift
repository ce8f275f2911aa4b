#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A row of the table `checkpoints`: how far a consumer of the log is. The key is the consumer's name.
struct ConsumerRow: Equatable, Sendable {
  var checkpoint: Checkpoint
  /// When it was stored, in microseconds since 1970.
  var time: Int64

  init(checkpoint: Checkpoint, time: Int64) {
    self.checkpoint = checkpoint
    self.time = time
  }

  /// The time (8 bytes, the lowest first), then the checkpoint as ``Checkpoint/encoded()``.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: time)
    return bytes + checkpoint.encoded()
  }

  init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    time = try reader.littleEndian(Int64.self)
    checkpoint = try Checkpoint(&reader)
    try reader.finish()
  }
}

/// A row of the table `letters`: an entry that a consumer has put aside.
struct DeadLetterRow: Equatable, Sendable {
  var consumer: String
  var stream: StreamName
  var reason: String
  var attempts: Int
  /// When it was put aside, in microseconds since 1970.
  var time: Int64
  /// Whether the plan could not read the entry, so that the consumer has never seen it.
  var isUnreadable: Bool

  /// What all keys of a consumer begin with: the first 16 bytes of the SHA-256 of its name.
  static func keyStart(_ consumer: String) -> [UInt8] {
    Array(SHA256.hash(Array(consumer.utf8)).prefix(16))
  }

  /// The position (8 bytes, the highest first) behind what all keys of the consumer begin with, then each number of the path (4 bytes, the highest first).
  static func key(_ consumer: String, _ position: Position, _ path: [UInt32]) -> [UInt8] {
    var key = RowKeyBytes()
    key.append(position.rawValue)
    var bytes = keyStart(consumer) + key.bytes
    for number in path {
      for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    return bytes
  }

  /// Position and path that stand in a key.
  static func place(in key: Span<UInt8>) throws(FormatFailure) -> (position: Position, path: [UInt32]) {
    guard key.count >= 24, key.count % 4 == 0 else { throw FormatFailure(.length, at: key.count) }
    var path: [UInt32] = []
    var offset = 24
    while offset < key.count {
      path.append((0..<4).reduce(0) { $0 << 8 | UInt32(key[offset + $1]) })
      offset += 4
    }
    return (Position(key.bigEndian(at: 16)), path)
  }

  /// A byte that is 1 for an entry that could not be read, the attempts as a varint, the time (8 bytes, the lowest first), then consumer, stream and reason, each behind its length as a
  /// varint.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = [isUnreadable ? 1 : 0]
    bytes.append(varint: UInt64(attempts))
    bytes.append(littleEndian: time)
    bytes.append(counted: consumer.utf8)
    bytes.append(counted: stream.text.utf8)
    bytes.append(counted: reason.utf8)
    return bytes
  }

  init(
    consumer: String, stream: StreamName, reason: String, attempts: Int, time: Int64, isUnreadable: Bool
  ) {
    self.consumer = consumer
    self.stream = stream
    self.reason = reason
    self.attempts = attempts
    self.time = time
    self.isUnreadable = isUnreadable
  }

  init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let mark = try reader.byte()
    guard mark < 2 else { throw FormatFailure(.value, at: 0) }
    isUnreadable = mark == 1
    attempts = try reader.varint(as: Int.self)
    time = try reader.littleEndian(Int64.self)
    consumer = try reader.countedText()
    stream = StreamName(try reader.countedText())
    reason = try reader.countedText()
    try reader.finish()
  }
}
