package import AnnalsCoding

/// The program for which a machine of a cluster waits: the row `cluster needs` of `meta`.
package struct ProgramNeed: Equatable, Sendable {
  /// The name of the row.
  package static let name = "\(ClusterRow.prefix) needs"

  /// The sequence of the message that the machine's program cannot apply.
  package var sequence: UInt64
  /// The schema version that the program's plan must have; `nil` for a newer version of the library.
  package var version: SchemaVersion?

  package init(sequence: UInt64, version: SchemaVersion?) {
    self.sequence = sequence
    self.version = version
  }

  /// The sequence (varint), and the version: one byte 0 for none, else 1 and three varints.
  package func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(varint: sequence)
    bytes.append(version)
    return bytes
  }

  package init(_ bytes: Span<UInt8>) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    sequence = try reader.number()
    version = try reader.schemaVersion()
    try reader.finish()
  }
}
