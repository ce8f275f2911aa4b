/// A range of positions in pieces of equal length, numbered from 0.
struct PositionPieces: Sendable {
  private let positions: ClosedRange<UInt64>
  private let length: UInt64

  /// The pieces of `positions`, of `length` positions each but the last.
  init(_ positions: ClosedRange<UInt64>, each length: UInt64) {
    self.positions = positions
    self.length = max(length, 1)
  }

  /// How many there are.
  var count: UInt64 { (positions.upperBound - positions.lowerBound) / length + 1 }

  /// The positions of the piece numbered `piece`, which must be one.
  subscript(piece: UInt64) -> ClosedRange<UInt64> {
    let start = positions.lowerBound + piece * length
    return start...(positions.upperBound - start < length ? positions.upperBound : start + length - 1)
  }
}
