internal import CAnnals

/// An incremental SHA-256 (FIPS 180-4, sections 4.1.2, 5.1.1 and 6.2).
///
/// The only hash that is ever stored.
package struct SHA256: Sendable {
  /// The number of bytes of a hash.
  package static let byteCount = 32
  /// The number of bytes that are processed at a time.
  private static let blockSize = 64

  private var state: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
  ]
  /// The bytes that do not fill a block yet.
  private var block: [UInt8] = []
  private var length: UInt64 = 0
  /// Whether special instructions are left out, which tests ask for.
  private let isPortable: Bool

  /// Creates the hash of an empty message.
  package init(isPortable: Bool = false) {
    self.isPortable = isPortable
    block.reserveCapacity(Self.blockSize)
  }

  /// Returns the hash of all of `bytes`.
  package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    var hash = SHA256()
    hash.update(bytes)
    return hash.finalize()
  }

  /// Adds the next bytes of the message.
  package mutating func update(_ bytes: some Sequence<UInt8>) {
    let bytes = Array(bytes)
    update(bytes.span)
  }

  /// Adds the next bytes of the message.
  package mutating func update(_ bytes: Span<UInt8>) {
    length &+= UInt64(bytes.count)
    var start = 0
    if !block.isEmpty {
      start = min(Self.blockSize - block.count, bytes.count)
      for index in 0..<start { block.append(bytes[index]) }
      guard block.count == Self.blockSize else { return }
      let full = block
      block = []
      Self.mix(full.span, into: &state, isPortable)
    }
    let end = bytes.count - (bytes.count - start) % Self.blockSize
    Self.mix(bytes.extracting(start..<end), into: &state, isPortable)
    for index in end..<bytes.count { block.append(bytes[index]) }
  }

  /// Returns the hash of all bytes added.
  package consuming func finalize() -> [UInt8] {
    // The standard counts the message in bits, and less than 2^64 of them.
    let bits = length &* 8
    var end: [UInt8] = [0x80]
    while (block.count + end.count) % Self.blockSize != Self.blockSize - 8 { end.append(0) }
    end += (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) }
    update(end.span)
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
  }

  /// Adds whole blocks.
  private static func mix(_ blocks: Span<UInt8>, into state: inout [UInt32], _ isPortable: Bool) {
    let count = blocks.count / blockSize
    guard count > 0 else { return }
    unsafe blocks.withUnsafeBytes { bytes in
      unsafe state.withUnsafeMutableBufferPointer { state in
        if isPortable {
          unsafe annals_sha256_portable(state.baseAddress, bytes.baseAddress, count)
        } else {
          unsafe annals_sha256(state.baseAddress, bytes.baseAddress, count)
        }
      }
    }
  }
}
