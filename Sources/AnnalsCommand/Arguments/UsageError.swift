/// The error for an invalid command line.
struct UsageError: Error, Equatable {
  /// The problem, in one line.
  let message: String

  init(_ message: String) {
    self.message = message
  }
}
