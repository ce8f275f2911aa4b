/// The shortest of the three CBOR widths that represents a floating-point number bit for bit.
///
/// All operations use bits: a conversion between widths would set the quiet bit of a NaN, and would be slower
/// than checking the mantissa first. Formats: IEEE 754-2019, section 3.4.
@usableFromInline package enum FloatForm: Equatable, Sendable {
  case half(UInt16)
  case single(UInt32)
  case double(UInt64)

  /// Creates the shortest form of the number with these bits.
  @inlinable package init(_ bits: UInt64) {
    let fraction = bits & 0x000f_ffff_ffff_ffff
    // Most measured numbers use the low bits of the mantissa, and then no shorter form can represent them.
    guard fraction & 0x1fff_ffff == 0 else {
      self = .double(bits)
      return
    }
    let biased = Int(bits >> 52 & 0x7ff)
    let exponent = biased - 1023
    let halfSign = UInt16(truncatingIfNeeded: bits >> 48) & 0x8000
    let singleSign = UInt32(truncatingIfNeeded: bits >> 32) & 0x8000_0000
    let significand = fraction | 1 << 52
    let fitsHalf = fraction & 0x3ff_ffff_ffff == 0
    switch exponent {
    case 1024 where fitsHalf:
      self = .half(halfSign | 0x7c00 | UInt16(fraction >> 42))
    case 1024:
      self = .single(singleSign | 0x7f80_0000 | UInt32(fraction >> 29))
    case -1023:
      self = fraction == 0 ? .half(halfSign) : .double(bits)
    case -14...15 where fitsHalf:
      self = .half(halfSign | UInt16(exponent + 15) << 10 | UInt16(fraction >> 42))
    case -24 ... -15 where significand & (1 << UInt64(28 - exponent) - 1) == 0:
      self = .half(halfSign | UInt16(significand >> UInt64(28 - exponent)))
    case -126...127:
      self = .single(singleSign | UInt32(exponent + 127) << 23 | UInt32(fraction >> 29))
    case -149 ... -127 where significand & (1 << UInt64(-97 - exponent) - 1) == 0:
      self = .single(singleSign | UInt32(significand >> UInt64(-97 - exponent)))
    default:
      self = .double(bits)
    }
  }

  /// The bits of the same number as a `Double`.
  @inline(__always)
  @inlinable package var widened: UInt64 {
    switch self {
    case .half(let bits):
      let sign = UInt64(bits & 0x8000) << 48
      let fraction = UInt64(bits & 0x3ff)
      switch bits >> 10 & 0x1f {
      case 0: return sign | (Double(fraction) * 0x1p-24).bitPattern
      case 0x1f: return sign | 0x7ff << 52 | fraction << 42
      case let biased: return sign | (UInt64(biased) + 1008) << 52 | fraction << 42
      }
    case .single(let bits):
      let sign = UInt64(bits & 0x8000_0000) << 32
      let fraction = UInt64(bits & 0x7f_ffff)
      switch bits >> 23 & 0xff {
      case 0: return sign | (Double(fraction) * 0x1p-149).bitPattern
      case 0xff: return sign | 0x7ff << 52 | fraction << 29
      case let biased: return sign | (UInt64(biased) + 896) << 52 | fraction << 29
      }
    case .double(let bits):
      return bits
    }
  }

  /// The bits of the same number as a `Float`; `nil` if it needs a `Double`.
  @inlinable package var singleBits: UInt32? {
    switch self {
    case .half(let bits):
      let sign = UInt32(bits & 0x8000) << 16
      let fraction = UInt32(bits & 0x3ff)
      switch bits >> 10 & 0x1f {
      case 0: return sign | (Float(fraction) * 0x1p-24).bitPattern
      case 0x1f: return sign | 0x7f80_0000 | fraction << 13
      case let biased: return sign | (UInt32(biased) + 112) << 23 | fraction << 13
      }
    case .single(let bits): return bits
    case .double: return nil
    }
  }
}
