internal import AnnalsCoding

extension Mapping {
  /// Returns the conversion of every value of the scalar type `stored` to `wanted`; `nil` if some would be
  /// lost.
  ///
  /// Bytes become a text if they are UTF-8, which is checked as they are read.
  static func widening(_ stored: ValueShape, to wanted: ValueShape) -> Mapping? {
    switch (stored, wanted) {
    case (.integer(let stored), .integer(let wanted)): wanted.contains(stored) ? .same : nil
    // A double represents whole numbers up to 2^53 exactly, a float up to 2^24.
    case (.integer(let stored), .double): stored.bits <= 32 ? .scalar(.integerToDouble) : nil
    case (.integer(let stored), .float): stored.bits <= 16 ? .scalar(.integerToDouble) : nil
    case (.float, .double), (.url, .text): .same
    case (.text, .bytes): .scalar(.textToBytes)
    case (.bytes, .text): .scalar(.bytesToText)
    default: stored == wanted ? .same : nil
    }
  }

  /// Returns the conversion of a value of the scalar type `stored` to `wanted`, from which `stored` was
  /// widened. It refuses a value that does not fit.
  static func narrowing(_ stored: ValueShape, to wanted: ValueShape) -> Mapping? {
    switch (stored, wanted) {
    case (.integer, .integer(let wanted)): .scalar(.inRange(wanted))
    case (.double, .integer(let wanted)), (.float, .integer(let wanted)): .scalar(.doubleToInteger(wanted))
    case (.double, .float): .scalar(.inSingle)
    // The reader of a URL refuses an invalid text.
    case (.text, .url): .same
    default: nil
    }
  }

  /// Returns whether different values remain different; `calls` are the definitions of which that is known or
  /// assumed.
  func keepsApart(_ calls: Set<Int>) -> Bool {
    switch self {
    // Texts are equal if they differ only in their normalisation, so different bytes can become one text.
    case .scalar(.bytesToText): false
    case .same, .scalar, .named: true
    case .constant: false
    case .wrap(let inner), .unwrap(let inner), .optional(let inner), .list(let inner), .set(let inner):
      inner.keepsApart(calls)
    case .field: false
    case .fields(let count, let parts): Set(0..<count).isSubset(of: parts.flatMap { $0.fieldsKept(calls) })
    case .map(let key, let value, _, _): key.keepsApart(calls) && value.keepsApart(calls)
    case .choice(let cases):
      Set(cases.compactMap(\.target)).count == cases.count
        && cases.allSatisfy { Mapping.fields(of: $0.count, $0.values).keepsApart(calls) }
    case .call(let number): calls.contains(number)
    }
  }

  /// Returns the fields of a record whose values can be derived from the result of this mapping.
  private func fieldsKept(_ calls: Set<Int>) -> [Int] {
    switch self {
    case .field(let index, _, let inner): inner.keepsApart(calls) ? [index] : []
    case .fields(_, let parts): parts.flatMap { $0.fieldsKept(calls) }
    case .wrap(let inner): inner.fieldsKept(calls)
    default: []
    }
  }
}
