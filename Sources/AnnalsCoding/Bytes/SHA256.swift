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
  /// The message schedule of the current block, kept so that its storage is reused.
  private var schedule = [UInt32](repeating: 0, count: 64)

  /// Creates the hash of an empty message.
  package init() {
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
    for byte in bytes {
      block.append(byte)
      length &+= 1
      if block.count == Self.blockSize { mix() }
    }
  }

  /// Returns the hash of all bytes added.
  package consuming func finalize() -> [UInt8] {
    // The standard counts the message in bits, and less than 2^64 of them.
    let bits = length &* 8
    update(CollectionOfOne(0x80))
    while block.count != Self.blockSize - 8 { update(CollectionOfOne(0)) }
    update((0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) })
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
  }

  private mutating func mix() {
    for index in 0..<16 {
      schedule[index] =
        UInt32(block[4 * index]) << 24 | UInt32(block[4 * index + 1]) << 16 | UInt32(block[4 * index + 2])
        << 8
        | UInt32(block[4 * index + 3])
    }
    for index in 16..<64 {
      let w15 = schedule[index - 15]
      let w2 = schedule[index - 2]
      let s0 = rotated(w15, 7) ^ rotated(w15, 18) ^ (w15 >> 3)
      let s1 = rotated(w2, 17) ^ rotated(w2, 19) ^ (w2 >> 10)
      schedule[index] = schedule[index - 16] &+ s0 &+ schedule[index - 7] &+ s1
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for index in 0..<64 {
      let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
      let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ Self.constants[index] &+ schedule[index]
      let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
      let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
      (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ t2)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    block.removeAll(keepingCapacity: true)
  }

  /// Returns `word` with its bits rotated right by `count`.
  private func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word >> count | word << (32 - count)
  }

  /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes.
  private static let constants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}
