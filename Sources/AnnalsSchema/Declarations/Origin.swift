public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The coordinates of an entry that a rule may use besides its value: only those that survive a rewrite of
/// the log.
public struct Origin: Sendable {
  /// The entry's position in the log.
  public let position: Position
  /// The path of this part in splits at earlier stages: `[]` for an entry that no rule has split.
  public package(set) var path: [UInt32] {
    get { rare?.path ?? [] }
    set { rare = Self.rare(newValue, metadata, tags) }
  }
  /// The stream that the entry belongs to.
  public let stream: StreamName
  /// The entry's revision in its stream.
  public let revision: Revision
  /// The exact time at which the entry was appended.
  public let timestamp: Timestamp
  /// The id that the writer gave the event, if any.
  public let id: UUID?
  /// The metadata that the writer gave the event.
  public var metadata: Metadata { rare?.metadata ?? Metadata() }
  /// The tags that are stored with the entry, in the order of their bytes.
  package var tags: [EventTag] { rare?.tags ?? [] }
  /// The path, the metadata and the tags; `nil` if all are empty.
  @usableFromInline var rare: RareParts?
  /// The id of the log, the same in all its copies and generations.
  @usableFromInline package let log: UUID

  /// The time at which the entry was appended.
  public var time: Date { timestamp.date }

  /// Creates the origin of an entry.
  package init(
    position: Position, path: [UInt32] = [], stream: StreamName, revision: Revision, timestamp: Timestamp,
    id: UUID?, metadata: Metadata, tags: [EventTag] = [], log: UUID
  ) {
    self.init(
      position: position, stream: stream, revision: revision, timestamp: timestamp, id: id, log: log)
    rare = Self.rare(path, metadata, tags)
  }

  /// Creates the origin of an entry that no rule has split, without metadata and tags.
  @inlinable
  package init(
    position: Position, stream: StreamName, revision: Revision, timestamp: Timestamp, id: UUID?, log: UUID
  ) {
    self.position = position
    self.stream = stream
    self.revision = revision
    self.timestamp = timestamp
    self.id = id
    self.log = log
  }

  @usableFromInline static func rare(
    _ path: [UInt32], _ metadata: Metadata, _ tags: [EventTag]
  ) -> RareParts? {
    path.isEmpty && metadata.isEmpty && tags.isEmpty
      ? nil : RareParts(path: path, metadata: metadata, tags: tags)
  }

  /// Returns the origin of the part numbered `index` of a split of this entry.
  @usableFromInline func part(_ index: UInt32) -> Origin {
    var part = self
    part.path.append(index)
    return part
  }
}

/// The coordinates that few entries have, as one reference, so that other entries are copied for less.
@usableFromInline final class RareParts: Sendable {
  @usableFromInline let path: [UInt32]
  @usableFromInline let metadata: Metadata
  @usableFromInline let tags: [EventTag]

  init(path: [UInt32], metadata: Metadata, tags: [EventTag]) {
    self.path = path
    self.metadata = metadata
    self.tags = tags
  }
}

extension Origin {
  /// Returns an id that this entry's rules can compute again at any time, in any process and after any
  /// rewrite.
  ///
  /// It is a UUID of version 8 (RFC 9562) of the first 16 bytes of SHA-256 over the log's id (16 bytes), the
  /// position (8 bytes, most significant first), the path (its count, then each of its numbers, 4 bytes each,
  /// most significant first) and the salt in UTF-8.
  ///
  /// - Parameter salt: Any text that distinguishes the ids of one entry.
  /// - Complexity: One hash of about 40 bytes and the salt.
  public func derivedID(_ salt: String) -> UUID {
    var input = log.bytes
    for shift in stride(from: 56, through: 0, by: -8) {
      input.append(UInt8(truncatingIfNeeded: position.rawValue >> UInt64(shift)))
    }
    // A path has one number for each split of one entry: far fewer than 2^32.
    for number in CollectionOfOne(UInt32(truncatingIfNeeded: path.count)) + path {
      for shift in stride(from: 24, through: 0, by: -8) {
        input.append(UInt8(truncatingIfNeeded: number >> UInt32(shift)))
      }
    }
    input += salt.utf8
    let hash = SHA256.hash(input)
    // RFC 9562, sections 4.1 and 5.8: version 8 in the high half of byte 6, the variant in the top bits of
    // byte 8.
    return UUID(
      uuid: (
        hash[0], hash[1], hash[2], hash[3], hash[4], hash[5], hash[6] & 0x0f | 0x80, hash[7],
        hash[8] & 0x3f | 0x80, hash[9], hash[10], hash[11], hash[12], hash[13], hash[14], hash[15]
      ))
  }
}
