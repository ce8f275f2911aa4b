import Foundation

/// The length of the long tests: short in the test command, longer in the scripts for fault injection.
package enum RunLength {
  /// The number in the environment variable `name`, or `usual`.
  package static func count(_ name: String, usual: Int) -> Int {
    Int(ProcessInfo.processInfo.environment[name] ?? "") ?? usual
  }

  /// The seed of the first round; each further round has the next one.
  package static let seed = UInt64(count("ANNALS_SEED", usual: 1))

  /// A seed for each round of `size`, `count` in all, and at least one.
  package static func seeds(_ count: Int, perRound size: Int = 1) -> [UInt64] {
    (0..<max(1, (count + size - 1) / size)).map { seed + UInt64($0) }
  }

  /// The seeds of a test that only computes: `count` in an optimised build, and a quarter of them in a debug
  /// build, where each takes several times as long.
  package static func computing(_ count: Int) -> [UInt64] {
    #if DEBUG
      seeds(count, perRound: 4)
    #else
      seeds(count)
    #endif
  }
}
