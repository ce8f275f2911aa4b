internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// A row of the table `checkpoints`: a consumer's place in the log. The key is the consumer's name.
struct ConsumerRow: Equatable, Sendable {
  var checkpoint: Checkpoint
  /// The time at which it was stored, in microseconds since 1970.
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

/// A row of the table `letters`: a dead letter of a consumer.
struct DeadLetterRow: Equatable, Sendable {
  var consumer: String
  var stream: StreamName
  var reason: String
  var attempts: Int
  /// The time at which it was set apart, in microseconds since 1970.
  var time: Int64
  /// Whether the plan could not read the entry, so that the consumer has never seen it.
  var isUnreadable: Bool
  /// The entry as the log had it; `nil` in a row of format 1.
  var place: Checkpoint?
  /// The events that the consumer had selected; `nil` for all, and in a row of format 1.
  var selection: LetterSelection?

  /// The format of the file that the row needs.
  var format: UInt32 { place == nil ? 1 : 2 }

  /// The prefix of all keys of a consumer: the first 16 bytes of the SHA-256 of its name.
  static func keyStart(_ consumer: String) -> [UInt8] {
    Array(SHA256.hash(Array(consumer.utf8)).prefix(16))
  }

  /// The prefix of all keys of the consumer, then the position (8 bytes, the highest first), then each number
  /// of the path (4 bytes, the highest first).
  static func key(_ consumer: String, _ position: Position, _ path: [UInt32]) -> [UInt8] {
    var key = RowKeyBytes()
    key.append(position.rawValue)
    var bytes = keyStart(consumer) + key.bytes
    for number in path {
      for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    return bytes
  }

  /// Returns the position and the path in a key.
  static func place(in key: Span<UInt8>) throws(FormatFailure) -> (position: Position, path: [UInt32]) {
    guard key.count >= 24, key.count % 4 == 0 else { throw FormatFailure(.length, at: key.count) }
    var path: [UInt32] = []
    var offset = 24
    while offset < key.count {
      path.append((0..<4).reduce(0) { $0 << 8 | UInt32(key[offset + $1]) })
      offset += 4
    }
    let position = key.bigEndian(at: 16)
    guard FormatRange.counts.contains(position) else { throw FormatFailure(.value, at: 16) }
    return (Position(position), path)
  }

  /// A byte of flags, the attempts as a varint, and the time (8 bytes, the lowest first). Then consumer,
  /// stream and reason, each after its length as a varint. With flag 1 the entry's checkpoint and the
  /// selection follow.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = [(isUnreadable ? 1 : 0) | (place == nil ? 0 : 2)]
    bytes.append(varint: min(UInt64(clamping: attempts), FormatRange.attempts.upperBound))
    bytes.append(littleEndian: time)
    bytes.append(counted: consumer.utf8)
    bytes.append(counted: stream.text.utf8)
    bytes.append(counted: reason.utf8)
    if let place {
      bytes += place.encoded()
      bytes.append(selection?.version)
      if let selection {
        bytes.append(varint: UInt64(selection.records.count))
        for record in selection.records { bytes.append(counted: record.utf8) }
      }
    }
    return bytes
  }

  init(
    consumer: String, stream: StreamName, reason: String, attempts: Int, time: Int64, isUnreadable: Bool,
    place: Checkpoint? = nil, selection: LetterSelection? = nil
  ) {
    self.place = place
    self.selection = selection
    self.consumer = consumer
    self.stream = stream
    self.reason = reason
    self.attempts = attempts
    self.time = time
    self.isUnreadable = isUnreadable
  }

  init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let flags = try reader.byte()
    guard flags < 4 else { throw FormatFailure(.value, at: 0) }
    isUnreadable = flags & 1 == 1
    attempts = Int(try reader.number(in: FormatRange.attempts))
    time = try reader.littleEndian(Int64.self)
    consumer = try reader.countedText()
    stream = StreamName(try reader.countedText())
    reason = try reader.countedText()
    if flags & 2 == 2 {
      place = try Checkpoint(&reader)
      if let version = try reader.schemaVersion() {
        selection = LetterSelection(version: version, records: try reader.letterRecords())
      }
    }
    try reader.finish()
  }
}

/// The events that a consumer had selected when it set an entry apart.
struct LetterSelection: Hashable, Sendable {
  /// The version at which the plan ended then.
  var version: SchemaVersion
  /// The names of the selected records in that version.
  var records: [String]
}

extension ByteReader {
  /// The names of selected records: their count, then each name.
  fileprivate mutating func letterRecords() throws(FormatFailure) -> [String] {
    let start = offset
    let count = try varint(as: Int.self)
    // Each name has a length.
    guard count <= remaining else { throw FormatFailure(.length, at: start) }
    var records: [String] = []
    for _ in 0..<count { records.append(try countedText()) }
    return records
  }
}
