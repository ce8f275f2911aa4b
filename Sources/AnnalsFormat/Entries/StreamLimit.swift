package import AnnalsCoding

/// What of a stream can be read and written: the value of a row of `meta`, whose name contains the id of the
/// stream.
///
/// A stream without a row is open, and shows all of its events.
package struct StreamLimit: Equatable, Sendable {
  /// Whether the stream takes no more events.
  package var isClosed = false
  /// The oldest revision that is read. It can be after the head: then the stream reads as empty.
  package var oldest: Revision = 0

  /// The prefix of the rows' names.
  package static let prefix = "stream "

  /// Returns the name of the row of the stream whose first entry is at `id`, in 16 hexadecimal digits.
  package static func name(_ id: Position) -> String {
    prefix + RowNumber.text(id.rawValue)
  }

  /// Returns the id in the name of a row; `nil` if it is no such name.
  package static func id(inName name: String) -> Position? {
    guard name.hasPrefix(prefix) else { return nil }
    return RowNumber.position(name.dropFirst(prefix.count)).map { Position($0) }
  }

  package init() {}

  /// 1 if the stream is closed and else 0, oldest revision (varint).
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = [isClosed ? 1 : 0]
    bytes.append(varint: oldest.rawValue)
    return bytes
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    isClosed = try reader.flag()
    oldest = Revision(try reader.number())
    try reader.finish()
  }

  /// Whether a stream whose newest revision is `head` reads as empty.
  package func empties(_ head: Revision) -> Bool { oldest > head }
}
