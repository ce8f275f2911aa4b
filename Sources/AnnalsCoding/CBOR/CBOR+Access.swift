extension CBOR {
  /// The value under the text `key`, where this is a map that has it; setting `nil` takes the pair out.
  ///
  /// Keys are compared as UTF-8 bytes. Setting does nothing to a value that is no map.
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

  /// The text, where this is one.
  public var text: String? {
    if case .text(let text) = self { text } else { nil }
  }

  /// The whole number, where this is one that `Int` holds.
  public var integer: Int? {
    switch self {
    case .unsigned(let number): Int(exactly: number)
    case .negative(let number): Int(exactly: number).map { ~$0 }
    default: nil
    }
  }

  /// The elements, where this is an array.
  public var array: [CBOR]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The pairs, where this is a map.
  public var pairs: [Pair]? {
    if case .map(let pairs) = self { pairs } else { nil }
  }
}

extension CBOR.Pair {
  /// Whether the key is the text with these UTF-8 bytes.
  package func hasKey(_ name: String) -> Bool {
    guard case .text(let text) = key else { return false }
    // Most keys differ in length already, which is cheaper to see than their bytes.
    return text.utf8.count == name.utf8.count && text.utf8.span.isEqual(to: name.utf8.span)
  }
}
