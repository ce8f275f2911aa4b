internal import AnnalsCoding

/// Compares the delivered events of two generations.
///
/// The whole newer one is read. The older one is upcast again, all of it or a sample, to find a rule that
/// gives another result when it is repeated (docs/decisions/0025-a-sampled-pass-upcasts-once.md).
struct Comparing: Sendable {
  /// The result for some positions.
  struct Part: Sendable {
    let positions: ClosedRange<UInt64>
    /// What the new generation delivers.
    let new: EventDigest
    /// The positions at which the older one does not deliver the same when it is upcast again; `nil` if none
    /// was found.
    let difference: ClosedRange<UInt64>?
  }

  /// Which entries of the older generation are upcast again.
  enum Repetition: Sendable {
    case all
    /// None: another thread does it.
    case none
    /// Those of ``Comparing/sample(of:)``, and these.
    case sample(Set<UInt64>)
  }

  let old, new: Digesting
  let repetition: Repetition

  /// The number of neighbouring entries of a sample, of ``Digesting/runEntries``.
  private static let sampled: UInt64 = 64

  /// Begins to compare `positions`, in parts of some hundred entries, on `threads` threads alongside the one
  /// that takes them.
  func line(_ positions: ClosedRange<UInt64>, threads: Int) throws(AnnalsError) -> PassLine<Part> {
    try PassLine(
      PositionPieces(positions, each: Digesting.runEntries), threads: threads, length: 2 * threads,
      isCancelled: { false }
    ) {
      let (one, other) = (old.digester(), new.digester())
      return { (range) throws(AnnalsError) in
        let digest = try new.digest(of: range, other)
        var difference: ClosedRange<UInt64>?
        for part in repeated(in: range) where difference == nil {
          let now = part == range ? digest : try new.digest(of: part, other)
          if try old.digest(of: part, one) != now { difference = part }
        }
        return (Part(positions: range, new: digest, difference: difference), nil)
      }
    }
  }

  /// The positions of `range` that are upcast again.
  private func repeated(in range: ClosedRange<UInt64>) -> [ClosedRange<UInt64>] {
    switch repetition {
    case .all: return [range]
    case .none: return []
    case .sample(let others):
      let sample = Self.sample(of: range)
      return [sample]
        + others.filter { range.contains($0) && !sample.contains($0) }.sorted().map { $0...$0 }
    }
  }

  /// The sample of `range`: all of a short one, otherwise neighbours at a place that differs from range to
  /// range.
  static func sample(of range: ClosedRange<UInt64>) -> ClosedRange<UInt64> {
    let rest = range.upperBound - range.lowerBound
    guard rest >= sampled else { return range }
    let start = range.lowerBound + MixedHash(range.lowerBound).low % (rest - sampled + 2)
    return start...start + sampled - 1
  }
}
