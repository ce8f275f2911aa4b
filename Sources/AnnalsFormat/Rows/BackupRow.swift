package import AnnalsCoding

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A backup that was made of the store: a row of `meta`, whose name contains the backup's id.
package struct BackupRow: Equatable, Sendable {
  /// The prefix of the rows' names.
  package static let prefix = "backup "
  /// The prefix of the names of the rows with generations.
  package static let generationPrefix = "backed-up "

  /// The backup's id.
  package var id: UUID
  /// When it was made.
  package var time: Timestamp
  /// The position of its newest entry; 0 for none.
  package var last: UInt64
  /// Whether it was destroyed, as somebody has said.
  package var isGone = false
  /// Where it was made.
  package var place: String
  /// The generation that it is of, which a row of its own has; `nil` if an earlier library made it.
  package var generation: UInt64?

  package init(id: UUID, time: Timestamp, last: UInt64, place: String) {
    self.id = id
    self.time = time
    self.last = last
    self.place = place
  }

  /// The row's name in `meta`.
  package var name: String { Self.prefix + id.uuidString.lowercased() }

  /// The name in `meta` of the row with its generation, a ``GenerationRow``.
  package var generationName: String { Self.generationPrefix + id.uuidString.lowercased() }

  /// Time (8 bytes), newest position (varint), 1 if it was destroyed and else 0, place (counted).
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt64(bitPattern: time.microseconds))
    bytes.append(varint: last)
    bytes.append(isGone ? 1 : 0)
    bytes.append(counted: place.utf8)
    return bytes
  }

  /// Reads the row called `name`.
  package init(name: String, _ bytes: Span<UInt8>) throws(FormatFailure) {
    guard let id = UUID(uuidString: String(name.dropFirst(Self.prefix.count))) else {
      throw FormatFailure(.value, at: 0)
    }
    self.id = id
    var reader = ByteReader(bytes)
    time = Timestamp(microseconds: try reader.littleEndian(Int64.self))
    last = try reader.number()
    isGone = try reader.flag()
    place = try reader.countedText()
    try reader.finish()
  }
}
