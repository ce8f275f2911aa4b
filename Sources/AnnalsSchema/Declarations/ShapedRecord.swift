public import AnnalsCoding
public import AnnalsShapes

/// A record stored by its shape: the values of its fields in order, without names.
///
/// `@Record` writes the conformance; a test shows a manual one.
public protocol ShapedRecord: Record, StoredValue {}

extension ShapedRecord {
  /// The fields of ``StoredValue/shape(in:)``.
  public static var recordShape: RecordShape? { RecordShape(of: Self.self) }

  /// Decodes the record from the array of fields in `payload`.
  @inlinable
  public static func decode(payload: Span<UInt8>) throws(CodingFailure) -> Self {
    var reader = FieldReader(payload)
    let record = try Self(from: &reader)
    try reader.end()
    return record
  }

  /// Appends the record as an array of its fields.
  @inlinable
  public func encode(into payload: inout [UInt8]) throws(CodingFailure) {
    let count = payload.count
    // The usual record fits, and one allocation is cheaper than growing from nothing.
    if count == 0 { payload.reserveCapacity(128) }
    var writer = FieldWriter(continuing: payload)
    payload = []
    do throws(CodingFailure) {
      try encode(into: &writer)
      payload = writer.finish()
    } catch {
      payload = writer.finish()
      payload.removeSubrange(count...)
      throw error
    }
  }
}
