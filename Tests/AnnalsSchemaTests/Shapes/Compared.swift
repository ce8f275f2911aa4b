import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// Two shapes compared, and their conversions applied to trees.
enum Compared {
  /// What comparing gives, with `old` read by the newer program and the other way round.
  static func both(
    _ old: String, _ new: String, _ adjustments: [FieldAdjustment] = []
  ) throws -> (up: ShapeComparison, down: ShapeComparison) {
    let (old, new) = (try RecordShape(parsing: old), try RecordShape(parsing: new))
    return (
      ShapeComparison(from: old, to: new, adjustments: adjustments),
      ShapeComparison(from: new, to: old, adjustments: adjustments, direction: .downgrade)
    )
  }

  static func converted(_ comparison: ShapeComparison, _ payload: CBOR) throws -> CBOR {
    let conversion = try #require(comparison.conversion, "\(comparison.changes) \(comparison.problems)")
    let bytes = try payload.encodedPayload()
    var output: [UInt8] = []
    try conversion.apply(bytes.span, to: &output)
    return try CBOR(payload: output)
  }

  static func failure(_ comparison: ShapeComparison, _ payload: CBOR) throws -> CodingFailure.Reason? {
    let conversion = try #require(comparison.conversion)
    let bytes = try payload.encodedPayload()
    var output: [UInt8] = [7]
    do {
      try conversion.apply(bytes.span, to: &output)
      return nil
    } catch {
      #expect(output == [7])
      return error.reason
    }
  }
}
