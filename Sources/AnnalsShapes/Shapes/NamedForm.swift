package import AnnalsCoding

/// The form by name of payloads of one shape: maps of field names to values, as in `Codable` output and JSON
/// lines.
///
/// A record is a map of its fields without those that are null. A case is its name if no case of the choice
/// has values. Otherwise it is a map of its name to a map of its values, as Swift's own `Codable` code for
/// enums writes it. All other values have the same form with and without names.
package struct NamedForm: Sendable {
  let table: NamedTable

  /// Creates the form of payloads of `shape`.
  package init(_ shape: RecordShape) {
    table = NamedTable(shape)
  }

  /// Appends the payload by shape for `map`, a payload by name; after a failure `output` is unchanged.
  ///
  /// It accepts the same forms as ``PayloadDecoder``. Names that the shape does not have are skipped, and a
  /// missing field is nil. ISO 8601 texts are dates, texts UUIDs, base64 texts byte strings, and whole
  /// numbers floating-point numbers that represent them exactly.
  ///
  /// - Throws: ``CodingFailure`` with offset and path if `map` is not a payload or does not fit the shape.
  /// - Complexity: O(bytes), and O(n log n) in the number of elements of a set that is not sorted.
  package func read(_ map: Span<UInt8>, to output: inout [UInt8]) throws(CodingFailure) {
    try read(map, of: 0, to: &output)
  }

  /// Appends the value by shape of the type numbered `type` for `value`, a value by name.
  func read(_ value: Span<UInt8>, of type: Int32, to output: inout [UInt8]) throws(CodingFailure) {
    let count = output.count
    let (rows, fields, sorted, cases, pool) = (
      table.rows, table.fields, table.sorted, table.cases, table.pool
    )
    do throws(CodingFailure) {
      try PayloadCheck.validate(value)
      var reading = NamedReading(
        table, rows: rows.span, fields: fields.span, sorted: sorted.span, cases: cases.span, pool: pool.span,
        bytes: value)
      try reading.value(of: type, to: &output)
    } catch {
      output.removeSubrange(count...)
      throw error
    }
  }

  /// Appends the payload by name for `payload`, one by shape; after a failure `output` is unchanged.
  ///
  /// - Throws: ``CodingFailure`` with offset and path if `payload` does not fit the shape, or the names would
  ///   nest it more than ``CBOR/depthLimit`` deep.
  /// - Complexity: O(bytes), and O(n log n) in the number of elements of a set of records.
  package func write(_ payload: Span<UInt8>, to output: inout [UInt8]) throws(CodingFailure) {
    try write(payload, of: 0, to: &output)
  }

  /// Appends the value by name for `value`, a value by shape of the type numbered `type`.
  func write(_ value: Span<UInt8>, of type: Int32, to output: inout [UInt8]) throws(CodingFailure) {
    let count = output.count
    let (rows, fields, sorted, cases, pool) = (
      table.rows, table.fields, table.sorted, table.cases, table.pool
    )
    do throws(CodingFailure) {
      try PayloadCheck.validate(value)
      var writing = NamedWriting(
        table, rows: rows.span, fields: fields.span, sorted: sorted.span, cases: cases.span, pool: pool.span,
        bytes: value)
      try writing.value(of: type, depth: 0, to: &output)
    } catch {
      output.removeSubrange(count...)
      throw error
    }
  }
}
