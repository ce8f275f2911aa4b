internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The state of an aggregate, stored next to the log.
struct AggregateSnapshotRow: Sendable {
  /// The fold and the stream of the state; a row with another source is skipped.
  struct Source: Hashable, Sendable {
    /// The name of the aggregate.
    let aggregate: ExactText
    /// The version of its fold.
    let version: UInt64
    /// The stream.
    let stream: ExactText
    /// The SHA-256 of the plan's outline and of the state's shape.
    let mark: [UInt8]

    /// The key of the row: SHA-256 of the lengths and bytes of aggregate and stream, because two names do not
    /// fit into a key.
    var key: [UInt8] {
      var bytes: [UInt8] = []
      bytes.append(counted: aggregate.text.utf8)
      bytes.append(counted: stream.text.utf8)
      return SHA256.hash(bytes)
    }
  }

  let source: Source
  /// The checkpoint after which the state is valid.
  let checkpoint: Checkpoint
  /// The revision of that entry.
  let revision: UInt64
  /// The state.
  let payload: [UInt8]

  init(_ source: Source, _ checkpoint: Checkpoint, revision: UInt64, payload: [UInt8]) {
    self.source = source
    self.checkpoint = checkpoint
    self.revision = revision
    self.payload = payload
  }

  /// Aggregate and stream (counted), version (varint), mark (32 bytes), checkpoint, revision (varint), then
  /// the payload.
  func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(counted: source.aggregate.text.utf8)
    bytes.append(counted: source.stream.text.utf8)
    bytes.append(varint: source.version)
    bytes += source.mark
    bytes += checkpoint.encoded()
    bytes.append(varint: revision)
    return bytes + payload
  }

  init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let aggregate = ExactText(try reader.countedText())
    let stream = ExactText(try reader.countedText())
    let version = try reader.varint()
    let mark = bytes.extracting(try reader.range(count: 32)).copied
    source = Source(aggregate: aggregate, version: version, stream: stream, mark: mark)
    checkpoint = try Checkpoint(&reader)
    revision = try reader.number()
    payload = bytes.extracting(reader.offset..<bytes.count).copied
  }
}
