import Testing

extension Record {
  /// The bytes of the record's payload.
  func payload() throws -> [UInt8] {
    var payload: [UInt8] = []
    try encode(into: &payload)
    return payload
  }

  /// The record read back from its own payload.
  func roundTrip() throws -> Self {
    let payload = try payload()
    return try Self.decode(payload: payload.span)
  }
}

extension StoredValue {
  /// The shape of the type's values on their own.
  static var shape: ValueShape {
    var types = ShapeTypes()
    return shape(in: &types)
  }
}
