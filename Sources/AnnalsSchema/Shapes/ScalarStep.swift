internal import AnnalsCoding

/// What is done to a number, a text or a byte string to make one of another type.
enum ScalarStep: Hashable, Sendable {
  /// A whole number becomes a floating-point number, which must hold it exactly.
  case integerToDouble
  /// A floating-point number becomes a whole number in the range of a type, where it is one.
  case doubleToInteger(IntegerShape)
  /// A whole number stays, where it is in the range of a type.
  case inRange(IntegerShape)
  /// A double-precision number stays, where a single-precision one holds it.
  case inSingle
  /// A text becomes a byte string.
  case textToBytes
  /// A byte string becomes a text, where it is UTF-8.
  case bytesToText

  /// Whether some values of the type stored are refused.
  var isPartial: Bool {
    switch self {
    case .integerToDouble, .textToBytes: false
    case .doubleToInteger, .inRange, .inSingle, .bytesToText: true
    }
  }
}

extension IntegerShape {
  /// The range of the numbers as the two arguments of CBOR: the most that −1 − n may have as n, `nil` where no number is negative,
  /// and the most that n may be.
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

  /// Whether the number that `head` is, of one of the two types of whole numbers, is in the range.
  func holds(_ head: CBORHead) -> Bool {
    let limits = arguments
    guard head.major == .negative else { return head.argument <= limits.unsigned }
    return limits.negative.map { head.argument <= $0 } ?? false
  }

  /// Whether every number of the range of `other` is in this one.
  func contains(_ other: IntegerShape) -> Bool {
    guard other.arguments.unsigned <= arguments.unsigned else { return false }
    guard let needed = other.arguments.negative else { return true }
    return arguments.negative.map { needed <= $0 } ?? false
  }

  /// How many bits a number takes.
  var bits: Int {
    switch self {
    case .int8, .uint8: 8
    case .int16, .uint16: 16
    case .int32, .uint32: 32
    case .int64, .uint64: 64
    }
  }
}
