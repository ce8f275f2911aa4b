/// The size of a page of every file.
let pageSize = 4096

extension Span<UInt8> {
  /// Returns the two bytes at `offset` as a number in the byte order of this machine.
  ///
  /// The caller has checked that they are inside; the load traps otherwise.
  @inline(__always)
  func number16(at offset: Int) -> Int {
    unsafe Int(UInt16(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt16.self)))
  }

  /// Returns the four bytes at `offset` as a number.
  @inline(__always)
  func number32(at offset: Int) -> UInt32 {
    unsafe UInt32(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt32.self))
  }

  /// Returns the eight bytes at `offset` as a number.
  @inline(__always)
  func number64(at offset: Int) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
}
