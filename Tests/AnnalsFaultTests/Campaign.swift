import Foundation

/// How long the long tests run: short in the test command, longer in the scripts of `Tests/Campaigns`.
enum Campaign {
  /// The number in the environment variable `name`, or `usual`.
  static func count(_ name: String, usual: Int) -> Int {
    Int(ProcessInfo.processInfo.environment[name] ?? "") ?? usual
  }

  /// The seed of a campaign's first round; each round has the next one.
  static let seed = UInt64(count("ANNALS_SEED", usual: 1))

  /// A seed for each round of `size`, `count` in all.
  static func seeds(_ count: Int, perRound size: Int) -> [UInt64] {
    (0..<max(1, (count + size - 1) / size)).map { seed + UInt64($0) }
  }
}
