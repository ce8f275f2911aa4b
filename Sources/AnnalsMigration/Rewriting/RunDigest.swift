internal import AnnalsCoding

/// The digest of consecutive entries: it adds up a block before it looks for its place, because a look-up
/// costs as much as an addition.
struct RunDigest: Sendable {
  private var blocks = EventDigest()
  /// What the entries of the block at hand deliver.
  var sum = EventDigest.Sum()
  private var last: Position = 1

  /// Goes on to the entry at `position`, which is added to ``sum``.
  @inline(__always)
  mutating func enter(_ position: Position) {
    if position.rawValue % EventDigest.block == 0 { settle() }
    last = position
  }

  private mutating func settle() {
    guard sum.entries > 0 else { return }
    blocks.add(sum, at: last)
    sum = EventDigest.Sum()
  }

  /// What all entries deliver.
  var whole: EventDigest {
    var copy = self
    copy.settle()
    return copy.blocks
  }
}
