package import AnnalsCoding

/// The value of a row of `streams`, whose key is the stream's name.
package struct StreamRow: Equatable, Sendable {
  /// The state of the stream.
  package enum State: UInt8, Sendable {
    case live = 0
    case moved = 1
    case erased = 2
  }

  /// The state of the stream.
  package var state: State
  /// The position of the stream's first entry, by which later entries name the stream.
  package var id: Position

  /// State (one byte), id (varint).
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    encode(into: &bytes)
    return bytes
  }

  /// Appends the encoded row to `bytes`.
  package func encode(into bytes: inout [UInt8]) {
    bytes.append(state.rawValue)
    bytes.append(varint: id.rawValue)
  }

  package init(state: State, id: Position) {
    self.state = state
    self.id = id
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    guard let state = State(rawValue: try reader.byte()) else { throw FormatFailure(.value, at: 0) }
    self.state = state
    self.id = Position(try reader.number(in: FormatRange.positions))
    try reader.finish()
  }
}
