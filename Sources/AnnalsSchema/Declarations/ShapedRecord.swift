public import AnnalsCoding

/// A record that is stored by its shape: the values of its fields in their order, without names.
///
/// `@Record` writes the conformance; a test shows one written by hand.
public protocol ShapedRecord: Record, StoredValue {}

extension ShapedRecord {
  /// The fields of ``StoredValue/shape(in:)``.
  public static var recordShape: RecordShape? { RecordShape(of: Self.self) }

  /// The record whose fields are the elements of the array that `payload` is.
  @inlinable
  public static func decode(payload: Span<UInt8>) throws(CodingFailure) -> Self {
    var reader = FieldReader(payload)
    let record = try Self(from: &reader)
    try reader.end()
    return record
  }

  /// Adds the record as an array of its fields.
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
