package import AnnalsCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A row of the table `ids`: the newest entry of a stream that has an event id.
package struct IDRow: Equatable, Sendable {
  /// The position of the stream's first entry.
  package var stream: Position
  /// The event id.
  package var id: UUID
  /// The revision of the entry in its stream.
  package var revision: Revision

  package init(stream: Position, id: UUID, revision: Revision) {
    self.stream = stream
    self.id = id
    self.revision = revision
  }

  /// The stream (8 bytes, the highest first), then the id (16 bytes).
  package var key: [UInt8] { Self.key(stream, id) }

  /// The key of the row of an id.
  package static func key(_ stream: Position, _ id: UUID) -> [UInt8] {
    var key: [UInt8] = []
    key.reserveCapacity(24)
    for shift in stride(from: UInt64(56), through: 0, by: -8) {
      key.append(UInt8(truncatingIfNeeded: stream.rawValue >> shift))
    }
    return key + id.bytes
  }

  /// The revision, a varint.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: revision.rawValue)
    return bytes
  }

  /// Reads the revision in a value.
  package static func revision(_ bytes: Span<UInt8>) throws(FormatFailure) -> Revision {
    var reader = ByteReader(bytes)
    let revision = Revision(try reader.number())
    try reader.finish()
    return revision
  }
}

/// The row `ids` of `meta`, which exists while the table `ids` does not match the log.
package enum IDIndexRow: Equatable, Sendable {
  /// The name of the row.
  package static let name = "ids"

  /// The table has the ids up to a position, and nobody reads it yet.
  case building(UInt64)
  /// The table is no longer read, and its rows are being removed.
  case emptying

  /// 0 and the position, a varint; or 1.
  package func encoded() -> [UInt8] {
    switch self {
    case .building(let position):
      var bytes: [UInt8] = [0]
      bytes.append(varint: position)
      return bytes
    case .emptying: return [1]
    }
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    switch try reader.byte() {
    case 0: self = .building(try reader.number())
    case 1: self = .emptying
    default: throw FormatFailure(.value, at: 0)
    }
    try reader.finish()
  }
}

extension StoreMeta.Requirement {
  /// A writer must keep the index of ids.
  package static let ids = StoreMeta.Requirement(name: "ids", isForReading: false)
}
