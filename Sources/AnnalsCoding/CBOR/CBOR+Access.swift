extension CBOR {
  /// The value of the text `key`, if this is a map that has it. Setting `nil` removes the pair.
  ///
  /// Keys are compared as UTF-8 bytes. Setting does nothing to a value that is not a map.
  ///
  /// - Complexity: O(pairs).
  public subscript(key: String) -> CBOR? {
    get {
      guard case .map(let pairs) = self else { return nil }
      return pairs.first { $0.hasKey(key) }?.value
    }
    set {
      guard case .map(var pairs) = self else { return }
      let index = pairs.firstIndex { $0.hasKey(key) }
      switch (index, newValue) {
      case (let index?, let value?): pairs[index].value = value
      case (let index?, nil): pairs.remove(at: index)
      case (nil, let value?): pairs.append(Pair(.text(key), value))
      case (nil, nil): break
      }
      self = .map(pairs)
    }
  }

  /// The text, if this is one.
  public var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The whole number, if this is one that `Int` can represent.
  public var integer: Int? {
    switch self {
    case .unsigned(let number): Int(exactly: number)
    case .negative(let number): Int(exactly: number).map { ~$0 }
    default: nil
    }
  }

  /// The number, if this is one that `Double` represents exactly.
  public var number: Double? {
    switch self {
    case .double(let number): number
    case .unsigned(let number): Double(exactly: number)
    // −1 − n is exact as a double only together: −2^63 is, 2^63 − 1 is not.
    case .negative(let number): number == .max ? -0x1p64 : Double(exactly: number + 1).map { -$0 }
    default: nil
    }
  }

  /// The elements, if this is an array.
  public var array: [CBOR]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The pairs, if this is a map.
  public var pairs: [Pair]? {
    if case .map(let pairs) = self { pairs } else { nil }
  }
}

extension CBOR.Pair {
  /// Returns whether the key is the text with these UTF-8 bytes.
  package func hasKey(_ name: String) -> Bool {
    guard case .text(let text) = key else { return false }
    // Most keys differ in length, which is cheaper to compare than their bytes.
    return text.utf8.count == name.utf8.count && text.utf8.span.isEqual(to: name.utf8.span)
  }
}
