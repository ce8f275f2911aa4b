/// The size of a page of every file.
let pageSize = 4096

extension Span<UInt8> {
  /// Returns the two bytes at `offset` as a number in the byte order of this machine.
  ///
  /// The caller has checked that they are inside.
  @inline(__always)
  func number16(at offset: Int) -> Int {
    Int(self[offset]) | Int(self[offset + 1]) << 8
  }

  /// Returns the four bytes at `offset` as a number.
  @inline(__always)
  func number32(at offset: Int) -> UInt32 {
    UInt32(number16(at: offset)) | UInt32(number16(at: offset + 2)) << 16
  }

  /// Returns the eight bytes at `offset` as a number.
  @inline(__always)
  func number64(at offset: Int) -> UInt64 {
    UInt64(number32(at: offset)) | UInt64(number32(at: offset + 4)) << 32
  }
}
