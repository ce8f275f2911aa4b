/// A hash of a few words: two sums whose every bit depends on every bit of the words before, and on their
/// order.
///
/// It finds accidents, not attacks. A word is taken in by a multiplication with a large odd number, whose
/// upper half is folded over the lower (Knuth, TAOCP volume 3, 6.4).
struct MixedHash {
  private(set) var low: UInt64
  private(set) var high: UInt64

  /// The hash of one word.
  @inline(__always)
  init(_ word: UInt64) {
    low = 0
    high = 0x243f_6a88_85a3_08d3
    mix(word)
  }

  /// Takes in another word.
  @inline(__always)
  mutating func mix(_ word: UInt64) {
    low = (low ^ word) &* 0x9e37_79b9_7f4a_7c15
    low ^= low >> 32
    high = (high &+ word) &* 0xd1b5_4a32_d192_ed03
    high ^= high >> 29
  }
}
