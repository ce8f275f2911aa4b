internal import AnnalsCoding

/// What ends a generation: which one succeeds it, and how many seals the log had by then.
///
/// Epochs only rise along the way from seal to seal, so that of two generations which name each other the one with the newer seal is over
/// (docs/durability.md).
struct Seal: Equatable, Sendable {
  /// The number of the generation that succeeds the sealed one.
  var successor: UInt64
  /// The epoch that the successor has from then on.
  var epoch: UInt64

  /// Successor, epoch; both varints.
  func append(to bytes: inout [UInt8]) {
    bytes.append(varint: successor)
    bytes.append(varint: epoch)
  }

  init(successor: UInt64, epoch: UInt64) {
    self.successor = successor
    self.epoch = epoch
  }

  init(_ reader: inout ByteReader) throws(FormatFailure) {
    successor = try reader.number(in: FormatRange.generations)
    epoch = try reader.number()
  }
}
