package import AnnalsCoding

/// What a system entry records: a change of the log itself, and who made it.
///
/// It follows the reason in the body of a stub whose cause is ``RemovalCause/system``. It names streams by
/// their ids, never by their names.
package struct SystemEntry: Equatable, Sendable {
  /// The stream that all system entries are in. Callers cannot append to it.
  package static let stream = StreamName("$annals")

  /// The prefix of the names of streams whose own names were erased. Callers cannot append to them.
  private static let erasedPrefix = "$erased-"

  /// The name of the stream with this id once its own name is erased.
  package static func placeholder(of id: Position) -> StreamName { StreamName("\(erasedPrefix)\(id)") }

  /// The name that a repair gives the stream with this id if its own name is lost.
  package static func lostName(of id: Position) -> StreamName { StreamName("annals/unreadable/\(id)") }

  /// Whether callers cannot append to a stream of this name.
  package static func isReserved(_ name: StreamName) -> Bool {
    // Nearly every name ends here.
    guard name.text.utf8.first == UInt8(ascii: "$") else { return false }
    if name == stream { return true }
    guard name.text.utf8.starts(with: erasedPrefix.utf8) else { return false }
    let digits = name.text.utf8.dropFirst(erasedPrefix.utf8.count)
    return !digits.isEmpty && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// Events of a stream that are not read any more.
  package struct Truncation: Equatable, Sendable {
    /// The id of the stream.
    package var stream: Position
    /// The oldest revision that is read.
    package var oldest: Revision

    package init(stream: Position, oldest: Revision) {
      self.stream = stream
      self.oldest = oldest
    }
  }

  package enum Change: Equatable, Sendable {
    /// A stream takes no more events.
    case closed(Position)
    /// A closed stream takes events again.
    case reopened(Position)
    /// The oldest events of streams are not read any more.
    case truncated([Truncation])
    /// The contents of these entries were erased in this generation. Older generations still have them.
    case erased(PositionRanges, generation: UInt64)
    /// A retention rule was stored, or the one with its prefix was removed.
    case retained(RetentionRule, isRemoved: Bool)
  }

  package var change: Change
  /// Who made the change, in the caller's words.
  package var author: String

  package init(_ change: Change, author: String) {
    self.change = change
    self.author = author
  }

  /// Author (counted), kind of change (one byte), then what it names: the id of a stream (varint); or count,
  /// and id and oldest revision of each stream (varints); or the number of the generation (varint) and ranges
  /// of positions; or the prefix of a rule (counted), 1 if it was removed and else 0, and its limits.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(counted: author.utf8)
    switch change {
    case .closed(let stream):
      bytes.append(0)
      bytes.append(varint: stream.rawValue)
    case .reopened(let stream):
      bytes.append(1)
      bytes.append(varint: stream.rawValue)
    case .truncated(let truncations):
      bytes.append(2)
      bytes.append(varint: UInt64(truncations.count))
      for truncation in truncations {
        bytes.append(varint: truncation.stream.rawValue)
        bytes.append(varint: truncation.oldest.rawValue)
      }
    case .erased(let positions, let generation):
      bytes.append(3)
      bytes.append(varint: generation)
      positions.append(to: &bytes)
    case .retained(let rule, let isRemoved):
      bytes.append(4)
      bytes.append(counted: rule.prefix.utf8)
      bytes.append(isRemoved ? 1 : 0)
      bytes += rule.encoded()
    }
  }

  package init(_ reader: inout ByteReader) throws(FormatFailure) {
    author = try reader.countedText()
    let start = reader.offset
    func stream(_ reader: inout ByteReader) throws(FormatFailure) -> Position {
      Position(try reader.number(in: FormatRange.positions))
    }
    switch try reader.byte() {
    case 0: change = .closed(try stream(&reader))
    case 1: change = .reopened(try stream(&reader))
    case 2:
      var truncations: [Truncation] = []
      for _ in 0..<(try reader.varint()) {
        let id = try stream(&reader)
        truncations.append(Truncation(stream: id, oldest: Revision(try reader.number())))
      }
      change = .truncated(truncations)
    case 3:
      let generation = try reader.number(in: FormatRange.generations)
      change = .erased(try PositionRanges(&reader), generation: generation)
    case 4:
      let prefix = try reader.countedText()
      let isRemoved = try reader.flag()
      change = .retained(try RetentionRule(prefix: prefix, &reader), isRemoved: isRemoved)
    default: throw FormatFailure(.laterFormat, at: start)
    }
  }
}

extension EntryHeader {
  /// Whether the entry records a change of the log itself, and is no event.
  @inlinable package var isSystem: Bool { flags.contains(.otherBodies) }
}
