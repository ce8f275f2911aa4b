internal import AnnalsCoding

/// Staged keys in the order of their bytes, kept for those who look for ranges while rows are being changed.
///
/// What was staged since the last look is sorted as a run of its own, and runs are merged so that each is at least twice as long as the one behind it: a look that
/// follows every change costs no more than the logarithm of what is staged.
struct StagedOrder {
  private(set) var runs: [[Int]] = []
  /// How many changes it has taken in.
  private(set) var taken = 0

  /// Takes in the numbers of further keys, none of which it has.
  mutating func take(_ numbers: [Int], _ keys: KeyTable) {
    guard !numbers.isEmpty else { return }
    taken += numbers.count
    runs.append(keys.sorted(numbers))
    while runs.count > 1, runs[runs.count - 2].count < 2 * runs[runs.count - 1].count {
      let (right, left) = (runs.removeLast(), runs.removeLast())
      runs.append(Self.merged(left, right, keys))
    }
  }

  private static func merged(_ left: [Int], _ right: [Int], _ keys: KeyTable) -> [Int] {
    var merged: [Int] = []
    merged.reserveCapacity(left.count + right.count)
    var (first, second) = (0, 0)
    while first < left.count, second < right.count {
      if keys[right[second]].precedes(keys[left[first]]) {
        merged.append(right[second])
        second += 1
      } else {
        merged.append(left[first])
        first += 1
      }
    }
    merged += left[first...]
    merged += right[second...]
    return merged
  }

  /// Forgets all of them.
  mutating func forget() {
    runs.removeAll()
    taken = 0
  }
}

/// The way through staged keys from one key to before another, in either direction.
struct StagedWalk {
  private let keys: KeyTable
  private let runs: [[Int]]
  /// By run, the places that are still to be given.
  private var rests: [Range<Int>]
  private let isBackwards: Bool

  init(_ order: StagedOrder, _ keys: KeyTable, from lower: [UInt8], to upper: [UInt8], isBackwards: Bool) {
    self.keys = keys
    self.isBackwards = isBackwards
    runs = order.runs
    rests = runs.map { run in
      let first = Self.place(of: lower, in: run, keys)
      return first..<max(first, Self.place(of: upper, in: run, keys))
    }
  }

  /// How many keys of a run come before one.
  private static func place(of key: [UInt8], in run: [Int], _ keys: KeyTable) -> Int {
    var (low, high) = (0, run.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[run[middle]].precedes(key.span) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The number of the next key, which stays the next one; `nil` at the end.
  func peek() -> Int? { best().map { next(in: $0) } }

  /// Passes over the next key.
  mutating func pass() {
    guard let run = best() else { return }
    let rest = rests[run]
    rests[run] =
      isBackwards ? rest.lowerBound..<(rest.upperBound - 1) : (rest.lowerBound + 1)..<rest.upperBound
  }

  private func next(in run: Int) -> Int {
    runs[run][isBackwards ? rests[run].upperBound - 1 : rests[run].lowerBound]
  }

  private func best() -> Int? {
    var best: Int?
    for run in runs.indices where !rests[run].isEmpty {
      guard let known = best else {
        best = run
        continue
      }
      let (new, old) = (next(in: run), next(in: known))
      if isBackwards ? keys[old].precedes(keys[new]) : keys[new].precedes(keys[old]) { best = run }
    }
    return best
  }
}
