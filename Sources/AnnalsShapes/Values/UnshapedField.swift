public import AnnalsCoding

extension FieldShape {
  /// Not available: it exists so that the compiler reports what a field of such a type needs.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "this field's type has no stored form: mark it @Value, or make it Codable and Sendable; for a tuple declare a @Value struct, for an InlineArray write an array"
  )
  public init<Root, Value>(
    _ name: String, originalName: String? = nil, _ property: KeyPath<Root, Value>, in types: inout ShapeTypes
  ) {
    self.init(name, originalName: originalName, .codable)
  }
}

extension CaseShape {
  /// Not available: it exists so that the compiler reports what the values of a case need.
  @_disfavoredOverload
  @available(
    *, unavailable,
    message:
      "a type of this case's values has no stored form: mark it @Value; for a tuple declare a @Value struct, for an InlineArray write an array"
  )
  public init<Choice, each Value>(
    _ name: String, _ labels: [String], _ make: (repeat each Value) -> Choice, in types: inout ShapeTypes
  ) {
    self.init(name)
  }
}

// These two accept every type without a message, because the compiler reports the error at the shape of the
// record. One mistake then has one message.

extension FieldReader {
  /// Always fails: a type without a stored form has no values to read.
  ///
  /// - Throws: ``CodingFailure``, always.
  @_disfavoredOverload
  public mutating func field<Value>() throws(CodingFailure) -> Value {
    throw CodingFailure(.unsupported, at: offset, detail: "\(Value.self) has no stored form")
  }
}

extension FieldWriter {
  /// Always fails: a type without a stored form cannot be written.
  ///
  /// - Throws: ``CodingFailure``, always.
  @_disfavoredOverload
  public mutating func field<Value>(_ value: Value) throws(CodingFailure) {
    throw CodingFailure(.unsupported, at: 0, detail: "\(Value.self) has no stored form")
  }
}
