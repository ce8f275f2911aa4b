package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A call to append, as bytes that can be in a message of its own or share one with other calls.
package struct SharedCall: Sendable {
  /// The most calls of a message.
  package static let limit = 4_096

  /// The identity of the commit and the call.
  package let bytes: [UInt8]
  /// The call; `nil` if the bytes are none. Every machine passes over those, and decides the other calls of
  /// the message.
  package let call: (request: AppendRequest, commit: CommitID)?

  /// Encodes a call.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` for a call that no other machine could repeat.
  package init(_ request: AppendRequest, _ commit: CommitID) throws(AnnalsError) {
    var bytes: [UInt8] = []
    commit.append(to: &bytes)
    try request.append(to: &bytes)
    self.bytes = bytes
    call = (request, commit)
  }

  /// Reads a call.
  ///
  /// - Parameters:
  ///   - time: The time of the message, in microseconds since 1970.
  ///   - shapes: The shapes of earlier messages.
  init(_ bytes: [UInt8], _ time: Int64, _ shapes: ShapeMemory) {
    self.bytes = bytes
    var reader = ByteReader(bytes.span)
    do throws(FormatFailure) {
      let commit = try CommitID(&reader)
      let request = try AppendRequest(&reader, time, shapes)
      try reader.finish()
      call = (request, commit)
    } catch {
      call = nil
    }
  }

  /// Reads the calls of a message.
  static func list(
    _ reader: inout ByteReader, _ time: Int64, _ shapes: ShapeMemory
  ) throws(FormatFailure) -> [SharedCall] {
    let ranges = try ranges(&reader)
    return ranges.map { SharedCall(reader.copy($0), time, shapes) }
  }

  /// Reads where the calls of a message are, up to its end.
  static func ranges(_ reader: inout ByteReader) throws(FormatFailure) -> [Range<Int>] {
    let start = reader.offset
    let count = try reader.count(of: 1)
    guard (1...limit).contains(count) else { throw FormatFailure(.value, at: start) }
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(count)
    for _ in 0..<count { ranges.append(try reader.countedRange()) }
    try reader.finish()
    return ranges
  }
}

extension ClusterMessage {
  /// Returns the message with encoded calls: one of its own for a single call.
  ///
  /// - Parameters:
  ///   - calls: The bytes of the calls.
  ///   - log: The id of the log.
  static func bytes(of calls: [[UInt8]], log: UUID) -> [UInt8] {
    var bytes = (calls.count == 1 ? Kind.append : .calls).beginning(log)
    bytes.reserveCapacity(calls.reduce(32) { $0 + $1.count + 4 })
    if calls.count == 1 {
      bytes += calls[0]
    } else {
      bytes.append(varint: UInt64(calls.count))
      for call in calls { bytes.append(counted: call) }
    }
    bytes.append(littleEndian: Checksum.crc32c(bytes.span))
    return bytes
  }
}

extension ClusterMessage.Kind {
  /// The first bytes of a message: its format, its kind and the id of the log.
  func beginning(_ log: UUID) -> [UInt8] { [format, rawValue] + log.bytes }
}
