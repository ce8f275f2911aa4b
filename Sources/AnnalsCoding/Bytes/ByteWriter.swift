internal import CAnnals

/// A writer of the bytes of a layout, in order, into borrowed memory.
///
/// Every write compares its length with the remaining space, so that a wrong count cannot write beyond it.
@safe
@usableFromInline package struct ByteWriter: ~Escapable {
  @usableFromInline package let start: UnsafeMutableRawPointer?
  @usableFromInline package let count: Int
  @usableFromInline package var offset = 0

  /// Creates a writer at the beginning of `span`.
  @_lifetime(&span)
  @inline(__always)
  @inlinable package init(_ span: inout MutableSpan<UInt8>) {
    // The lifetime of the writer is that of the borrow, so the pointer does not outlive it.
    unsafe start = span.withUnsafeMutableBytes { $0.baseAddress }
    count = span.count
  }

  @inline(__always)
  @inlinable package func place(_ bytes: Int) -> UnsafeMutableRawPointer {
    precondition(bytes <= count - offset, "a layout longer than its count")
    return unsafe start.unsafelyUnwrapped + offset
  }

  /// Writes one byte.
  @inline(__always)
  @inlinable package mutating func write(_ byte: UInt8) {
    unsafe place(1).storeBytes(of: byte, as: UInt8.self)
    offset += 1
  }

  /// Writes the bytes of `number`, little-endian.
  @inline(__always)
  @inlinable package mutating func write<Number: FixedWidthInteger & BitwiseCopyable>(
    littleEndian number: Number
  ) {
    let size = MemoryLayout<Number>.size
    unsafe place(size).storeBytes(of: number.littleEndian, as: Number.self)
    offset += size
  }

  /// Writes `number` as a varint.
  @inline(__always)
  @inlinable package mutating func write(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      write(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    write(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes `bytes`.
  @inline(__always)
  @inlinable package mutating func write(_ bytes: Span<UInt8>) {
    let size = bytes.count
    if size == 0 { return }
    let place = unsafe place(size)
    unsafe bytes.withUnsafeBytes {
      unsafe place.copyMemory(from: $0.baseAddress.unsafelyUnwrapped, byteCount: size)
    }
    offset += size
  }

  /// Writes the number of `bytes` as a varint and then the bytes.
  @inline(__always)
  @inlinable package mutating func write(counted bytes: Span<UInt8>) {
    write(varint: UInt64(bytes.count))
    write(bytes)
  }
}

/// Returns the number of bytes of `number` as a varint.
@inlinable @inline(__always)
package func varintCount(_ number: UInt64) -> Int {
  (70 - (number | 1).leadingZeroBitCount) / 7
}

extension Span<UInt8> {
  /// Begins to load the first bytes, which are copied soon.
  @inline(__always)
  package func prefetch() {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      unsafe annals_prefetch(start)
      unsafe annals_prefetch(start + 64)
      unsafe annals_prefetch(start + 128)
    }
  }
}

extension Span {
  /// Begins to load the element at `index`, which may be anything.
  @inline(__always)
  package func prefetch(_ index: Int) {
    unsafe withUnsafeBufferPointer { elements in
      guard index >= 0, index < elements.count, let start = elements.baseAddress else { return }
      unsafe annals_prefetch(start + index)
    }
  }
}
