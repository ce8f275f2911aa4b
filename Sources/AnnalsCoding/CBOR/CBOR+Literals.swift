extension CBOR {
  /// The whole number `number`.
  public init(_ number: Int) {
    self = number >= 0 ? .unsigned(UInt64(number)) : .negative(UInt64(~number))
  }

  /// The text `text`.
  public init(_ text: String) {
    self = .text(text)
  }

  /// The number `number` with a fraction.
  public init(_ number: Double) {
    self = .double(number)
  }
}

extension CBOR: ExpressibleByIntegerLiteral {
  /// The whole number written out.
  public init(integerLiteral number: Int) {
    self.init(number)
  }
}

extension CBOR: ExpressibleByFloatLiteral {
  /// The number with a fraction written out.
  public init(floatLiteral number: Double) {
    self = .double(number)
  }
}

extension CBOR: ExpressibleByBooleanLiteral {
  /// The truth value written out.
  public init(booleanLiteral flag: Bool) {
    self = .bool(flag)
  }
}

extension CBOR: ExpressibleByStringInterpolation {
  /// The text written out.
  public init(stringLiteral text: String) {
    self = .text(text)
  }
}

extension CBOR: ExpressibleByArrayLiteral {
  /// The array written out.
  public init(arrayLiteral elements: CBOR...) {
    self = .array(elements)
  }
}

extension CBOR: ExpressibleByDictionaryLiteral {
  /// The map written out, its pairs in that order.
  public init(dictionaryLiteral pairs: (CBOR, CBOR)...) {
    self = .map(pairs.map { Pair($0.0, $0.1) })
  }
}
