package import AnnalsCoding

/// The end of a generation: its successor, and the successor's epoch.
///
/// Epochs only rise from seal to seal. So if two generations name each other, the one with the newer seal has
/// ended (docs/durability.md).
package struct Seal: Equatable, Sendable {
  /// The number of the generation that succeeds the sealed one.
  package var successor: UInt64
  /// The epoch that the successor has from then on.
  package var epoch: UInt64

  /// Successor, epoch; both varints.
  package func append(to bytes: inout [UInt8]) {
    bytes.append(varint: successor)
    bytes.append(varint: epoch)
  }

  package init(successor: UInt64, epoch: UInt64) {
    self.successor = successor
    self.epoch = epoch
  }

  package init(_ reader: inout ByteReader) throws(FormatFailure) {
    successor = try reader.number(in: FormatRange.generations)
    epoch = try reader.number()
  }
}
