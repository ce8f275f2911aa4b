package import AnnalsCoding

/// The value of a row of `meta` that records the stream from which a stream's entries came. The row's name
/// contains the stream's.
package struct OriginRow: Equatable, Sendable {
  /// The prefix of the rows' names.
  package static let prefix = "from "

  /// The name of the row of `stream`.
  package static func name(_ stream: StreamName) -> String { prefix + stream.text }

  /// The number of the generation whose pass wrote it.
  package var generation: UInt64
  /// The stream that all entries came from in that pass; the stream's own name if they came from several.
  package var stream: StreamName
  /// Whether entries of several streams are in this one, put there by that pass or an earlier one.
  package var isMerged: Bool

  /// Generation (varint), the name (counted), 1 where several streams were merged and else 0.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: generation)
    bytes.append(counted: stream.text.utf8)
    bytes.append(isMerged ? 1 : 0)
    return bytes
  }

  package init(generation: UInt64, stream: StreamName, isMerged: Bool) {
    self.generation = generation
    self.stream = stream
    self.isMerged = isMerged
  }

  /// Creates the row of a stream to which a pass has brought entries of several streams.
  package init(generation: UInt64, ofSeveralIn stream: StreamName) {
    self.init(generation: generation, stream: stream, isMerged: true)
  }

  /// Whether this is the row of `stream` if its entries came from several streams in that pass.
  package func isOfSeveral(in stream: StreamName) -> Bool { self.stream == stream }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    generation = try reader.number(in: FormatRange.generations)
    stream = StreamName(try reader.countedText())
    isMerged = try reader.flag()
    try reader.finish()
  }
}

/// The value of the row `regrouped` of `meta`: the newest position at the switch of the last pass that
/// moved entries to other streams. Later entries are of the stream that they are in.
package enum RegroupedRow {
  /// The name of the row.
  package static let name = "regrouped"

  /// The position, a varint.
  package static func encoded(_ position: UInt64) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: position)
    return bytes
  }

  /// Reads the position in a value.
  package static func position(_ bytes: Span<UInt8>) throws(FormatFailure) -> Position {
    var reader = ByteReader(bytes)
    let position = Position(try reader.number())
    try reader.finish()
    return position
  }
}
