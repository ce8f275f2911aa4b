/// A parser of JSON (RFC 8259) into a CBOR tree that neither loses nor guesses anything.
///
/// A number without fraction and exponent is an integer from −2^64 to 2^64−1 (`-0` is the double −0.0);
/// beyond that it is refused. Any other number is the nearest double. It is refused beyond the range of
/// doubles, and if the nearest double is 0 but the number is not.
///
/// Keys may not be duplicates, compared as bytes after their escapes; text keeps every code point. Values
/// that JSON cannot express are objects with one key: `{"$bytes":"…"}` in base64, `{"$double":"…"}` with
/// `NaN`, `Infinity`, `-Infinity` or the 16 hexadecimal digits of a NaN's bits. A key that has more `$`
/// before these words, alone in its object, loses one.
package struct JSONReader: ~Copyable, ~Escapable {
  let bytes: Span<UInt8>
  var offset = 0
  private let line: Int
  private let depthLimit: Int

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, line: Int, depthLimit: Int) {
    self.bytes = bytes
    self.line = line
    self.depthLimit = depthLimit
  }

  /// Returns the one value in `bytes`, a line of UTF-8.
  ///
  /// - Parameters:
  ///   - bytes: The line, with or without its end.
  ///   - number: The number of the line, for errors.
  ///   - depthLimit: The most levels of nested arrays and objects; a line with a payload needs one more than
  ///     the payload.
  /// - Throws: ``JSONFailure`` with line and column of the first byte that breaks a rule.
  /// - Complexity: O(n), n log n in the number of keys of an object with many.
  package static func value(
    of bytes: Span<UInt8>, number: Int = 1, depthLimit: Int = CBOR.depthLimit
  ) throws(JSONFailure) -> CBOR {
    var reader = JSONReader(bytes, line: number, depthLimit: depthLimit)
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.offset == bytes.count else { throw reader.failure(.trailing) }
    return value
  }

  /// Returns a failure at the byte `place`, or at the next one.
  func failure(_ reason: JSONFailure.Reason, at place: Int? = nil) -> JSONFailure {
    JSONFailure(reason: reason, line: line, column: (place ?? offset) &+ 1)
  }

  /// Returns the failure for a next byte that is not allowed.
  private func unexpected() -> JSONFailure {
    failure(offset < bytes.count ? .unexpected : .truncated)
  }

  mutating func skipSpace() {
    while offset < bytes.count {
      switch bytes[offset] {
      case 0x20, 0x09, 0x0a, 0x0d: offset &+= 1
      default: return
      }
    }
  }

  /// Consumes the next byte if it is `scalar`, and returns whether it was.
  mutating func takes(_ scalar: Unicode.Scalar) -> Bool {
    guard offset < bytes.count, bytes[offset] == UInt8(ascii: scalar) else { return false }
    offset &+= 1
    return true
  }

  mutating func value(depth: Int) throws(JSONFailure) -> CBOR {
    skipSpace()
    guard offset < bytes.count else { throw failure(.truncated) }
    switch bytes[offset] {
    case UInt8(ascii: "\""): return .text(try text())
    case UInt8(ascii: "{"): return try object(depth: depth &+ 1)
    case UInt8(ascii: "["): return try array(depth: depth &+ 1)
    case UInt8(ascii: "t"): return try word("true", .bool(true))
    case UInt8(ascii: "f"): return try word("false", .bool(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    case UInt8(ascii: "-"), 0x30...0x39: return try number()
    default: throw failure(.unexpected)
    }
  }

  private mutating func word(_ word: StaticString, _ value: CBOR) throws(JSONFailure) -> CBOR {
    for scalar in "\(word)".unicodeScalars {
      guard takes(scalar) else { throw unexpected() }
    }
    return value
  }

  private mutating func array(depth: Int) throws(JSONFailure) -> CBOR {
    guard depth <= depthLimit else { throw failure(.tooDeep) }
    offset &+= 1
    skipSpace()
    if takes("]") {
      return .array([])
    }
    var elements: [CBOR] = []
    while true {
      elements.append(try value(depth: depth))
      skipSpace()
      if takes("]") {
        return .array(elements)
      }
      guard takes(",") else { throw unexpected() }
    }
  }

  private mutating func object(depth: Int) throws(JSONFailure) -> CBOR {
    // The deepest container may have one more object if it is one for a value that JSON cannot express.
    guard depth <= depthLimit &+ 1 else { throw failure(.tooDeep) }
    let start = offset
    offset &+= 1
    skipSpace()
    var pairs: [CBOR.Pair] = []
    if !takes("}") {
      pairs.reserveCapacity(8)
      repeat {
        skipSpace()
        guard offset < bytes.count, bytes[offset] == UInt8(ascii: "\"") else { throw unexpected() }
        let keyStart = offset
        let key = try text()
        // Few keys are compared one by one; many by a set at the end, so that no object takes quadratic time.
        guard pairs.count > 16 || !pairs.contains(where: { $0.hasKey(key) }) else {
          throw failure(.duplicateKey, at: keyStart)
        }
        skipSpace()
        guard takes(":") else { throw unexpected() }
        pairs.append(CBOR.Pair(.text(key), try value(depth: depth)))
        skipSpace()
      } while takes(",")
      guard takes("}") else { throw unexpected() }
    }
    if pairs.count == 1, let value = try Self.special(pairs[0], or: failure(.bytes, at: start)) {
      if case .map = value {
      } else {
        return value
      }
      guard depth <= depthLimit else { throw failure(.tooDeep, at: start) }
      return value
    }
    guard depth <= depthLimit else { throw failure(.tooDeep, at: start) }
    if pairs.count > 16, Self.hasDuplicateKeys(pairs) {
      throw failure(.duplicateKey, at: start)
    }
    return .map(pairs)
  }

  private static func hasDuplicateKeys(_ pairs: [CBOR.Pair]) -> Bool {
    var keys: Set<CBOR> = []
    keys.reserveCapacity(pairs.count)
    return !pairs.allSatisfy { keys.insert($0.key).inserted }
  }

  /// Returns the value for the only pair of an object, if it is an escape.
  private static func special(_ pair: CBOR.Pair, or failure: JSONFailure) throws(JSONFailure) -> CBOR? {
    guard case .text(let key) = pair.key, let escape = JSONEscape(key) else { return nil }
    if escape.depth > 1 {
      return .map([CBOR.Pair(.text(String(key.dropFirst())), pair.value)])
    }
    guard case .text(let text) = pair.value else {
      throw JSONFailure(reason: escape.failure, line: failure.line, column: failure.column)
    }
    guard let value = escape.value(text) else {
      throw JSONFailure(reason: escape.failure, line: failure.line, column: failure.column)
    }
    return value
  }

  private mutating func number() throws(JSONFailure) -> CBOR {
    let start = offset
    let isNegative = bytes[start] == UInt8(ascii: "-")
    guard let (end, isWhole) = JSONNumber.end(in: bytes, from: start) else { throw failure(.number) }
    offset = end
    if isWhole, let magnitude = wholeNumber(isNegative ? start &+ 1 : start, end) {
      if !isNegative {
        return .unsigned(magnitude)
      }
      return magnitude == 0 ? .double(-0.0) : .negative(magnitude &- 1)
    }
    let text = String(decoding: bytes.extracting(start..<end).copied, as: UTF8.self)
    if isWhole {
      guard text == "-18446744073709551616" else { throw failure(.wholeNumber, at: start) }
      return .negative(.max)
    }
    guard let number = Double(text), number.isFinite else { throw failure(.overflow, at: start) }
    guard number != 0 || JSONNumber.significantDigits(text) == 0 else { throw failure(.underflow, at: start) }
    return .double(number)
  }

  /// Returns the whole number of the digits; `nil` beyond 64 bits.
  private func wholeNumber(_ start: Int, _ end: Int) -> UInt64? {
    var number: UInt64 = 0
    for index in start..<end {
      let digit = UInt64(bytes[index] &- 0x30)
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, carry) = product.addingReportingOverflow(digit)
      if overflow || carry {
        return nil
      }
      number = sum
    }
    return number
  }
}
