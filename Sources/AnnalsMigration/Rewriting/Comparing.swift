internal import AnnalsCoding

/// Compares the delivered events of two generations.
struct Comparing: Sendable {
  /// The digests of both generations at some positions.
  struct Part: Sendable {
    let positions: ClosedRange<UInt64>
    let old, new: EventDigest
  }

  let old, new: Digesting

  /// Begins to compute what both generations deliver at `positions`, in parts of some hundred entries, on
  /// `threads` threads alongside the one that takes them.
  func line(_ positions: ClosedRange<UInt64>, threads: Int) throws(AnnalsError) -> PassLine<Part> {
    try PassLine(
      PositionPieces(positions, each: Digesting.runEntries), threads: threads, length: 2 * threads,
      isCancelled: { false }
    ) {
      let (one, other) = (old.digester(), new.digester())
      return { (range) throws(AnnalsError) in
        let part = Part(
          positions: range, old: try old.digest(of: range, one), new: try new.digest(of: range, other))
        return (part, nil)
      }
    }
  }
}
