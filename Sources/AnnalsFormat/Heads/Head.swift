public import AnnalsCoding

/// The newest entry of a stream, with all values that the next entry's links need: a row of `heads`.
@usableFromInline package struct Head: Equatable, Sendable {
  /// The position of the stream's first entry.
  package let id: Position
  /// The revision of the newest entry.
  package let revision: Revision
  /// The position of the newest entry.
  package let last: Position
  /// At index l − 1 the position of the newest revision that is a multiple of 4^l, for each l ≥ 1 with 4^l ≤
  /// revision.
  package let levels: [Position]
  /// The revision of the newest entry with an id that a caller gave.
  package let newestID: Revision?

  /// Creates the head with these parts, which belong together. Levels may end early: an entry is then found
  /// through more others.
  package init(id: Position, revision: Revision, last: Position, levels: [Position], newestID: Revision?) {
    self.id = id
    self.revision = revision
    self.last = last
    self.levels = levels
    self.newestID = newestID
  }

  /// The position of the newest revision that is a multiple of 4^`level`.
  package func newest(atLevel level: Int) -> Position {
    level == 0 ? last : level <= levels.count ? levels[level - 1] : id
  }

  /// Returns the distance of a link of `level`, in revisions: 4^`level`.
  @inlinable
  package static func step(ofLevel level: Int) -> UInt64 {
    1 << (2 * UInt64(level))
  }

  /// Returns the number of levels l with 4^l dividing `revision`; 0 for revision 0, which has no links.
  @inlinable
  package static func levels(dividing revision: Revision) -> Int {
    revision.rawValue == 0 ? 0 : revision.rawValue.trailingZeroBitCount / 2 + 1
  }

  /// Returns the number of levels l ≥ 1 with 4^l ≤ `revision`.
  @inlinable
  package static func levels(upTo revision: Revision) -> Int {
    revision.rawValue == 0 ? 0 : (63 - revision.rawValue.leadingZeroBitCount) / 2
  }
}

extension Head {
  /// Revision, last position, per level the distance back from the last position, and the revision of the
  /// newest id plus 1 (0: none); all varints.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    Self.encode(
      revision: revision.rawValue, last: last.rawValue, newestID: newestID.map { $0.rawValue + 1 } ?? 0,
      levels: levels.count, level: { levels[$0 - 1].rawValue }, into: &bytes)
    return bytes
  }

  /// Appends the row of a head that is given by its numbers.
  ///
  /// - Parameters:
  ///   - newestID: The revision of the newest id plus 1; 0 for none.
  ///   - level: The position of the newest multiple of 4^level, for a level from 1 to `levels`.
  @inline(__always)
  package static func encode(
    revision: UInt64, last: UInt64, newestID: UInt64, levels: Int, level: (Int) -> UInt64,
    into bytes: inout [UInt8]
  ) {
    bytes.append(varint: revision)
    bytes.append(varint: last)
    for index in stride(from: 1, through: levels, by: 1) { bytes.append(varint: last - level(index)) }
    bytes.append(varint: newestID)
  }

  /// Reads the row of the stream whose first entry is at `id`.
  package init(id: Position, _ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    let revision = Revision(try reader.number())
    let last = Position(try reader.number(in: FormatRange.positions))
    guard id.rawValue > 0, last >= id, last.rawValue - id.rawValue >= revision.rawValue else {
      throw FormatFailure(.link, at: 0)
    }
    var levels: [Position] = []
    for _ in 0..<Self.levels(upTo: revision) {
      let start = reader.offset
      let distance = try reader.varint()
      guard distance <= last.rawValue - id.rawValue else { throw FormatFailure(.link, at: start) }
      levels.append(Position(last.rawValue - distance))
    }
    let start = reader.offset
    let newest = try reader.varint()
    guard newest == 0 || newest - 1 <= revision.rawValue else {
      throw FormatFailure(.value, at: start)
    }
    try reader.finish()
    self.id = id
    self.revision = revision
    self.last = last
    self.levels = levels
    self.newestID = newest == 0 ? nil : Revision(newest - 1)
  }
}

extension Head {
  /// Throws `.damaged` for a row that knows entries after the stream's newest one.
  package func mustNotBeNewer(than newest: Revision, at position: Position) throws(AnnalsError) {
    guard last <= position, revision <= newest else {
      throw AnnalsError(
        .damaged,
        "table 'heads', key \(id): it says revision \(revision) at position \(last), and the stream ends with revision \(newest) at \(position); run 'annals verify'",
        details: AnnalsError.Details { $0.table = "heads" })
    }
  }
}
