internal import AnnalsCoding
internal import AnnalsShapes

/// The conversion of older records to the fields that a `Keep` does not compute, and the record of these and
/// the computed ones.
struct KeptFields: Sendable {
  /// Converts a payload of the older record to an array of the kept fields.
  private let conversion: Conversion
  /// For each field of the newer record, the number of its computed value; `nil` if it is kept.
  private let values: [Int?]

  /// Creates the conversion; `nil` if the plan is invalid.
  init?(_ keep: KeepOutline, _ comparison: ShapeComparison?, to new: RecordOutline) {
    guard let conversion = comparison?.conversion, let count = new.shape?.shape.fields.count else {
      return nil
    }
    self.conversion = conversion
    values = (0..<count).map { keep.changed.firstIndex(of: $0) }
  }

  /// Returns the kept fields of `record` as an array.
  func convert(_ record: some Record) throws(CodingFailure) -> [UInt8] {
    var payload: [UInt8] = []
    try record.encode(into: &payload)
    guard !conversion.isSame else { return payload }
    var kept: [UInt8] = []
    try conversion.apply(payload.span, to: &kept)
    return kept
  }

  /// Returns the payload of the newer record.
  ///
  /// - Parameters:
  ///   - kept: The array of the kept fields.
  ///   - computed: The computed values, in the order in which the rule names their fields.
  func payload(_ kept: Span<UInt8>, _ computed: [[UInt8]]) throws(CodingFailure) -> [UInt8] {
    var payload: [UInt8] = []
    payload.reserveCapacity(kept.count + computed.reduce(9) { $0 + $1.count })
    payload.appendHead(.array, UInt64(values.count))
    var reader = CBORReader(kept)
    _ = try reader.head()
    var offset = reader.offset
    for value in values {
      if let value {
        payload += computed[value]
        continue
      }
      let end = try kept.end(ofItems: 1, from: offset)
      payload.append(kept.extracting(offset..<end))
      offset = end
    }
    return payload
  }
}
