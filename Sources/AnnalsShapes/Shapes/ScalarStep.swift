internal import AnnalsCoding

/// A conversion of a number, a text or a byte string to another type.
enum ScalarStep: Hashable, Sendable {
  /// Converts a whole number to a floating-point number, which must represent it exactly.
  case integerToDouble
  /// Converts a floating-point number to a whole number in the range of a type, if it is one.
  case doubleToInteger(IntegerShape)
  /// Keeps a whole number that is in the range of a type.
  case inRange(IntegerShape)
  /// Keeps a double-precision number that a single-precision one represents exactly.
  case inSingle
  /// Converts a text to a byte string.
  case textToBytes
  /// Converts a byte string to a text, if it is UTF-8.
  case bytesToText

  /// Whether some values of the stored type are refused.
  var isPartial: Bool {
    switch self {
    case .integerToDouble, .textToBytes: false
    case .doubleToInteger, .inRange, .inSingle, .bytesToText: true
    }
  }
}

extension IntegerShape {
  /// The range of the numbers as the two arguments of CBOR. For −1 − n, the most that n may be, `nil` if no
  /// number is negative; for n, the most that it may be.
  var arguments: (negative: UInt64?, unsigned: UInt64) {
    switch self {
    case .int8: (0x7f, 0x7f)
    case .int16: (0x7fff, 0x7fff)
    case .int32: (0x7fff_ffff, 0x7fff_ffff)
    case .int64: (0x7fff_ffff_ffff_ffff, 0x7fff_ffff_ffff_ffff)
    case .uint8: (nil, 0xff)
    case .uint16: (nil, 0xffff)
    case .uint32: (nil, 0xffff_ffff)
    case .uint64: (nil, .max)
    }
  }

  /// Returns whether the number in `head`, of one of the two types of whole numbers, is in the range.
  func holds(_ head: CBORHead) -> Bool {
    let limits = arguments
    guard head.major == .negative else { return head.argument <= limits.unsigned }
    return limits.negative.map { head.argument <= $0 } ?? false
  }

  /// Returns whether every number of the range of `other` is in this one.
  func contains(_ other: IntegerShape) -> Bool {
    guard other.arguments.unsigned <= arguments.unsigned else { return false }
    guard let needed = other.arguments.negative else { return true }
    return arguments.negative.map { needed <= $0 } ?? false
  }

  /// The number of bits of a number.
  var bits: Int {
    switch self {
    case .int8, .uint8: 8
    case .int16, .uint16: 16
    case .int32, .uint32: 32
    case .int64, .uint64: 64
    }
  }
}
