extension CBOR {
  /// Creates the whole number `number`.
  public init(_ number: Int) {
    self = number >= 0 ? .unsigned(UInt64(number)) : .negative(UInt64(~number))
  }

  /// Creates the text `text`.
  public init(_ text: String) {
    self = .text(text)
  }

  /// Creates the floating-point number `number`.
  public init(_ number: Double) {
    self = .double(number)
  }
}

extension CBOR: ExpressibleByIntegerLiteral {
  /// Creates a whole number from a literal.
  public init(integerLiteral number: Int) {
    self.init(number)
  }
}

extension CBOR: ExpressibleByFloatLiteral {
  /// Creates a floating-point number from a literal.
  public init(floatLiteral number: Double) {
    self = .double(number)
  }
}

extension CBOR: ExpressibleByBooleanLiteral {
  /// Creates a Boolean from a literal.
  public init(booleanLiteral flag: Bool) {
    self = .bool(flag)
  }
}

extension CBOR: ExpressibleByStringInterpolation {
  /// Creates a text from a literal.
  public init(stringLiteral text: String) {
    self = .text(text)
  }
}

extension CBOR: ExpressibleByArrayLiteral {
  /// Creates an array from a literal.
  public init(arrayLiteral elements: CBOR...) {
    self = .array(elements)
  }
}

extension CBOR: ExpressibleByDictionaryLiteral {
  /// Creates a map from a literal, with its pairs in that order.
  public init(dictionaryLiteral pairs: (CBOR, CBOR)...) {
    self = .map(pairs.map { Pair($0.0, $0.1) })
  }
}
