package import AnnalsCoding

/// Payloads of one shape by name: maps of field names to values, as `Codable` writes and JSON lines say them.
///
/// A record is a map of its fields, those that are null left out; a case is its name where no case of the choice holds
/// values, else a map of its name to a map of its values, as Swift's own `Codable` code for enums writes it. All other
/// values have the same form with and without names.
package struct NamedForm: Sendable {
  let table: NamedTable

  /// The form of payloads of `shape`.
  package init(_ shape: RecordShape) {
    table = NamedTable(shape)
  }

  /// Appends the payload by shape that `map`, a payload by name, says; after a failure `output` is as before.
  ///
  /// It takes what ``PayloadDecoder`` takes: names that the shape does not have are passed over; a field that is missing
  /// is nil; ISO 8601 texts are dates, texts UUIDs, base64 texts byte strings, and whole numbers floating-point
  /// numbers that hold them exactly.
  ///
  /// - Throws: ``CodingFailure`` with offset and path where `map` is no payload or does not fit the shape.
  /// - Complexity: O(bytes), and O(n log n) in the number of elements of a set that is not sorted.
  package func read(_ map: Span<UInt8>, to output: inout [UInt8]) throws(CodingFailure) {
    let count = output.count
    let (rows, fields, sorted, cases, pool) = (
      table.rows, table.fields, table.sorted, table.cases, table.pool
    )
    do throws(CodingFailure) {
      try PayloadCheck.validate(map)
      var reading = NamedReading(
        table, rows: rows.span, fields: fields.span, sorted: sorted.span, cases: cases.span, pool: pool.span,
        bytes: map)
      try reading.value(of: 0, to: &output)
    } catch {
      output.removeSubrange(count...)
      throw error
    }
  }

  /// Appends the payload by name that `payload`, one by shape, says; after a failure `output` is as before.
  ///
  /// - Throws: ``CodingFailure`` with offset and path where `payload` does not fit the shape, or the names would nest
  ///   it more than 64 deep.
  /// - Complexity: O(bytes), and O(n log n) in the number of elements of a set of records.
  package func write(_ payload: Span<UInt8>, to output: inout [UInt8]) throws(CodingFailure) {
    let count = output.count
    let (rows, fields, sorted, cases, pool) = (
      table.rows, table.fields, table.sorted, table.cases, table.pool
    )
    do throws(CodingFailure) {
      try PayloadCheck.validate(payload)
      var writing = NamedWriting(
        table, rows: rows.span, fields: fields.span, sorted: sorted.span, cases: cases.span, pool: pool.span,
        bytes: payload)
      try writing.value(of: 0, depth: 0, to: &output)
    } catch {
      output.removeSubrange(count...)
      throw error
    }
  }
}
