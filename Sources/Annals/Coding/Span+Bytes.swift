#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Span<UInt8> {
  /// The bytes in an array of their own.
  var copied: [UInt8] {
    unsafe withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Whether every byte is below 0x80.
  var isASCII: Bool {
    unsafe withUnsafeBytes { bytes in
      var offset = 0
      // Eight bytes at a time: texts are the bulk of a payload and nearly always plain.
      while offset &+ 8 <= bytes.count {
        if unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
          return false
        }
        offset &+= 8
      }
      while offset < bytes.count {
        if unsafe bytes[offset] >= 0x80 {
          return false
        }
        offset &+= 1
      }
      return true
    }
  }

  /// How the bytes of `left` sort against those of `right`: negative, zero or positive; the shorter first where one begins the other.
  func order(of left: Range<Int>, against right: Range<Int>) -> Int {
    let left = extracting(left)
    let right = extracting(right)
    let order = unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { right -> Int32 in
        guard let first = left.baseAddress, let second = right.baseAddress else { return 0 }
        return unsafe memcmp(first, second, min(left.count, right.count))
      }
    }
    return order == 0 ? left.count &- right.count : Int(order)
  }
}
