/// Runs of removed keys that are still in the file, so that the queries of a fold pass each run in one step.
///
/// A key leads to a later one of its run, at last to the end. Every way that was gone is shortened, so a
/// query passes a run in the logarithm of its length. A key in a run may be put again: it stays a staged key,
/// which queries do not look for in the file. So runs hold until the changes are stored.
final class RemovedRuns {
  /// A later key of the run of each key by number, in ascending and in descending order; a run ends with a
  /// key that leads to itself.
  private var ways: (ascending: [Int], descending: [Int]) = ([], [])

  /// Returns the last known key of the run that a key is in.
  func end(of number: Int, isBackwards: Bool) -> Int {
    isBackwards ? Self.end(of: number, &ways.descending) : Self.end(of: number, &ways.ascending)
  }

  /// Adds a key, and the run that begins with it, after the end of a run.
  func join(_ end: Int, to next: Int, isBackwards: Bool) {
    if isBackwards {
      Self.join(end, to: next, &ways.descending)
    } else {
      Self.join(end, to: next, &ways.ascending)
    }
  }

  private static func end(of number: Int, _ ways: inout [Int]) -> Int {
    guard number < ways.count else { return number }
    var number = number
    while ways[number] != number {
      ways[number] = ways[ways[number]]
      number = ways[number]
    }
    return number
  }

  private static func join(_ end: Int, to next: Int, _ ways: inout [Int]) {
    if ways.count <= max(end, next) { ways += ways.count...max(end, next) }
    ways[end] = next
  }

  /// Discards all runs.
  func forget() {
    ways = ([], [])
  }
}
