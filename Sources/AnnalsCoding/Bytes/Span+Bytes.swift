#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension Span<UInt8> {
  /// A copy of the bytes as an array.
  @inlinable package var copied: [UInt8] {
    unsafe withUnsafeBytes { unsafe [UInt8]($0) }
  }

  /// Returns the big-endian number of eight bytes at `offset`.
  @inline(__always)
  @inlinable package func bigEndian(at offset: Int) -> UInt64 {
    unsafe withUnsafeBytes { bytes in
      precondition(offset >= 0 && offset &+ 8 <= bytes.count, "a number beyond the end")
      return unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }

  /// Whether any byte is zero.
  package var holdsZero: Bool {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return false }
      return unsafe memchr(start, 0, bytes.count) != nil
    }
  }

  /// Returns whether the bytes sort before those of `other`.
  package func precedes(_ other: Span<UInt8>) -> Bool {
    unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { unsafe left.order(against: $0) < 0 }
    }
  }

  /// Returns whether the bytes equal those of `other`.
  package func isEqual(to other: Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { left in
      unsafe other.withUnsafeBytes { unsafe left.order(against: $0) == 0 }
    }
  }

  /// Hashes the bytes and their count into `hasher`.
  func hash(into hasher: inout Hasher) {
    hasher.combine(count)
    unsafe withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
  }

  /// Whether every byte is below 0x80.
  @inlinable package var isASCII: Bool {
    unsafe withUnsafeBytes { bytes in
      var offset = 0
      // Many bytes at a time: texts are most of a payload and nearly always ASCII.
      while offset &+ 32 <= bytes.count {
        let first = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: SIMD4<UInt64>.self)
        if (first & 0x8080_8080_8080_8080) != .zero { return false }
        offset &+= 32
      }
      while offset &+ 8 <= bytes.count {
        if unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 {
          return false
        }
        offset &+= 8
      }
      if offset == bytes.count { return true }
      // The last bytes of eight or more once more with some before them, as one number.
      if offset > 0 {
        let last = unsafe bytes.loadUnaligned(fromByteOffset: bytes.count &- 8, as: UInt64.self)
        return last & 0x8080_8080_8080_8080 == 0
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

  /// Returns the offset of the first quotation mark, backslash or control character from `start` on, or the
  /// end.
  func plainTextEnd(from start: Int) -> Int {
    unsafe withUnsafeBytes { bytes in
      var offset = start
      // Eight bytes at a time. A byte b is below n if b − n borrows and b had no high bit of its own. A
      // borrow from a lower byte only sends more bytes to the exact loop.
      while offset &+ 8 <= bytes.count {
        let word = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let quote = word ^ 0x2222_2222_2222_2222
        let backslash = word ^ 0x5c5c_5c5c_5c5c_5c5c
        let control = (word &- 0x2020_2020_2020_2020) & ~word
        let found =
          control | (quote &- 0x0101_0101_0101_0101) & ~quote | (backslash &- 0x0101_0101_0101_0101)
          & ~backslash
        if found & 0x8080_8080_8080_8080 != 0 {
          break
        }
        offset &+= 8
      }
      while offset < bytes.count {
        let byte = unsafe bytes[offset]
        if byte < 0x20 || byte == 0x22 || byte == 0x5c {
          break
        }
        offset &+= 1
      }
      return offset
    }
  }

  /// Returns the order of the bytes of `left` and `right`: negative, zero or positive; a prefix sorts first.
  package func order(of left: Range<Int>, against right: Range<Int>) -> Int {
    let left = extracting(left)
    let right = extracting(right)
    return unsafe left.withUnsafeBytes { left in
      unsafe right.withUnsafeBytes { unsafe left.order(against: $0) }
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the order of these bytes and `other`: negative, zero or positive; a prefix sorts first.
  func order(against other: UnsafeRawBufferPointer) -> Int {
    guard let first = baseAddress, let second = other.baseAddress else {
      return count &- other.count
    }
    let order = unsafe memcmp(first, second, Swift.min(count, other.count))
    return order == 0 ? count &- other.count : Int(order)
  }
}

extension [UInt8] {
  /// Appends the borrowed bytes.
  @inlinable package mutating func append(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { unsafe append(contentsOf: $0) }
  }
}
