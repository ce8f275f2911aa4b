internal import AnnalsCoding

extension Mapping {
  /// How every value of the scalar type `stored` is one of `wanted`; `nil` where some would be lost.
  ///
  /// Bytes become a text where they are UTF-8, which is checked as they are read.
  static func widening(_ stored: ValueShape, to wanted: ValueShape) -> Mapping? {
    switch (stored, wanted) {
    case (.integer(let stored), .integer(let wanted)): wanted.contains(stored) ? .same : nil
    // A double holds whole numbers up to 2^53 exactly, a float up to 2^24.
    case (.integer(let stored), .double): stored.bits <= 32 ? .scalar(.integerToDouble) : nil
    case (.integer(let stored), .float): stored.bits <= 16 ? .scalar(.integerToDouble) : nil
    case (.float, .double), (.url, .text): .same
    case (.text, .bytes): .scalar(.textToBytes)
    case (.bytes, .text): .scalar(.bytesToText)
    default: stored == wanted ? .same : nil
    }
  }

  /// How a value of the scalar type `stored` becomes one of `wanted`, which `stored` was widened from; a value that does not fit is refused.
  static func narrowing(_ stored: ValueShape, to wanted: ValueShape) -> Mapping? {
    switch (stored, wanted) {
    case (.integer, .integer(let wanted)): .scalar(.inRange(wanted))
    case (.double, .integer(let wanted)), (.float, .integer(let wanted)): .scalar(.doubleToInteger(wanted))
    case (.double, .float): .scalar(.inSingle)
    // The reader of a URL refuses a text that is none.
    case (.text, .url): .same
    default: nil
    }
  }

  /// Whether different values stay different; `calls` are the definitions of which that is known or supposed.
  func keepsApart(_ calls: Set<Int>) -> Bool {
    switch self {
    // Texts are equal where they differ in their normalisation alone, and then different bytes are one text.
    case .scalar(.bytesToText): false
    case .same, .scalar: true
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

  /// The fields of a record whose values can be told from what this mapping makes of it.
  private func fieldsKept(_ calls: Set<Int>) -> [Int] {
    switch self {
    case .field(let index, _, let inner): inner.keepsApart(calls) ? [index] : []
    case .fields(_, let parts): parts.flatMap { $0.fieldsKept(calls) }
    case .wrap(let inner): inner.fieldsKept(calls)
    default: []
    }
  }
}
