/// What `annals-bench` can do, chosen by its first word.
protocol Command: Sendable {
  /// What the command line asks for.
  init(_ words: some Sequence<String>) throws(WrongUsage)

  /// Does it.
  func run() async throws
}

/// A command line that makes no sense.
struct WrongUsage: Error, CustomStringConvertible {
  let description: String
}
