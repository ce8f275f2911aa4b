extension FieldShape {
  /// Not there: it exists so that the compiler says what a field of such a type needs.
  @_disfavoredOverload
  @available(
    *, unavailable, message: "mark the type of this field @Value, or make it Codable and Sendable"
  )
  public init<Root, Value>(
    _ name: String, originalName: String? = nil, _ property: KeyPath<Root, Value>, in types: inout ShapeTypes
  ) {
    self.init(name, originalName: originalName, .codable)
  }
}

extension CaseShape {
  /// Not there: it exists so that the compiler says what the values of a case need.
  @_disfavoredOverload
  @available(*, unavailable, message: "mark the types of the values that this case holds @Value")
  public init<Choice, each Value>(
    _ name: String, _ labels: [String], _ make: (repeat each Value) -> Choice, in types: inout ShapeTypes
  ) {
    self.init(name)
  }
}

extension FieldReader {
  /// Not there: it exists so that the compiler says what a field of such a type needs.
  @_disfavoredOverload
  @available(
    *, unavailable, message: "mark the type of this field @Value, or make it Codable and Sendable"
  )
  public mutating func field<Value>() throws(CodingFailure) -> Value {
    throw unknownCase()
  }
}

extension FieldWriter {
  /// Not there: it exists so that the compiler says what a field of such a type needs.
  @_disfavoredOverload
  @available(
    *, unavailable, message: "mark the type of this field @Value, or make it Codable and Sendable"
  )
  public mutating func field<Value>(_ value: Value) throws(CodingFailure) {
    leave()
  }
}
