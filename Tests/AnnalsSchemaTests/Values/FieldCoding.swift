import Testing

@testable import AnnalsSchema
@testable import AnnalsShapes

/// The bytes that `value` is written as.
func written<Value: StoredValue>(_ value: Value) throws(CodingFailure) -> [UInt8] {
  var writer = FieldWriter(continuing: [])
  try value.encode(into: &writer)
  return writer.finish()
}

/// The value that all of `bytes` are.
func read<Value: StoredValue>(_ bytes: [UInt8], as type: Value.Type = Value.self) throws(CodingFailure)
  -> Value
{
  var reader = FieldReader(bytes.span)
  let value = try Value(from: &reader)
  try reader.end()
  return value
}

/// The shape of the type.
func shape<Value: StoredValue>(of type: Value.Type) -> ValueShape {
  var types = ShapeTypes()
  return type.shape(in: &types)
}

/// Expects that `value` is written as the hexadecimal `bytes` and read from them.
func expect<Value: StoredValue & Equatable>(
  _ value: Value, is bytes: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let found = try written(value)
  #expect(hex(found) == bytes, sourceLocation: sourceLocation)
  let back = try read(hex(bytes), as: Value.self)
  #expect(back == value, sourceLocation: sourceLocation)
}

/// Expects that the hexadecimal `bytes` are refused as a value of `type`, and where.
func expect<Value: StoredValue>(
  _ bytes: String, as type: Value.Type, fails reason: CodingFailure.Reason, at offset: Int = 0,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(CodingFailure) {
    _ = try read(hex(bytes), as: type)
    Issue.record("\(bytes) was read", sourceLocation: sourceLocation)
  } catch {
    #expect(error.reason == reason, sourceLocation: sourceLocation)
    #expect(error.offset == offset, sourceLocation: sourceLocation)
  }
}

/// Expects that writing `value` is refused.
func expectRefusal<Value: StoredValue>(
  of value: Value, _ reason: CodingFailure.Reason, sourceLocation: SourceLocation = #_sourceLocation
) {
  do throws(CodingFailure) {
    let bytes = try written(value)
    Issue.record("written as \(hex(bytes))", sourceLocation: sourceLocation)
  } catch {
    #expect(error.reason == reason, sourceLocation: sourceLocation)
  }
}
