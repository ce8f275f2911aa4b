package import AnnalsCoding
package import AnnalsStore

/// The value of the row `passFields` of `meta`: the declared fields that the pass which builds a generation,
/// or has built it, has removed from stored events.
///
/// It is a separate row, so that a library which does not know it can continue the pass.
package enum PassFieldsRow {
  /// The name of the row.
  package static let name = "passFields"

  /// The declared fields of `tally`.
  static func encoded(_ tally: FieldTally) -> [UInt8] { tally.encoded(areDeclared: true) }

  /// Adds the fields of a row to `tally`.
  package static func read(_ bytes: Span<UInt8>, into tally: inout FieldTally) throws(FormatFailure) {
    var reader = ByteReader(bytes)
    try tally.add(&reader, areDeclared: true)
    try reader.finish()
  }
}
