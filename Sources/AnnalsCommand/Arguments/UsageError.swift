/// The error for an invalid command line.
package struct UsageError: Error, Equatable {
  /// The problem, in one line.
  package let message: String

  package init(_ message: String) {
    self.message = message
  }
}
