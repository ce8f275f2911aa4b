internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

/// Staged keys in the order of their bytes, kept for range reads between changes.
///
/// Keys staged since the last read are sorted as a run of their own. Runs are merged so that each is at least
/// twice as long as the next. A read after every change therefore costs only the logarithm of the number of
/// staged keys.
struct StagedOrder {
  private(set) var runs: [[Int]] = []
  /// The number of changes included.
  private(set) var taken = 0

  /// Adds the numbers of further keys, all of them new.
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

  /// Discards all keys.
  mutating func forget() {
    runs.removeAll()
    taken = 0
  }
}

/// An iteration over staged keys from one key to before another, in either direction.
struct StagedWalk {
  private let keys: KeyTable
  private let runs: [[Int]]
  /// The places left in each run.
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

  /// Returns the number of keys in a run that come before a key.
  private static func place(of key: [UInt8], in run: [Int], _ keys: KeyTable) -> Int {
    var (low, high) = (0, run.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[run[middle]].precedes(key.span) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the number of the next key without advancing; `nil` at the end.
  func peek() -> Int? { best().map { next(in: $0) } }

  /// Advances past the next key.
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
