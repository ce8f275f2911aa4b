/// An action of the command on a store.
package protocol Verb: Sendable, SendableMetatype {
  /// The name of the verb on the command line.
  static var name: String { get }
  /// A summary of one line.
  static var summary: String { get }
  /// The arguments of the verb, as its help shows them.
  static var synopsis: String { get }
  /// The rest of its help: the options, one on each line.
  static var help: String { get }
  /// The arguments that the verb accepts in addition to the common options.
  static var grammar: Arguments.Grammar { get }

  /// Whether every page of the store is checked first unless the command line disables it. Verbs that read
  /// the whole log anyway do so.
  static var checksEveryPage: Bool { get }

  /// Creates the verb from its arguments.
  init(_ arguments: Arguments) throws(UsageError)

  /// Runs the verb.
  ///
  /// - Parameters:
  ///   - output: Receives the result.
  ///   - progress: Shows the progress.
  /// - Returns: The exit status.
  /// - Throws: `AnnalsError`, or ``OutputError``.
  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32
}

extension Verb {
  package static var checksEveryPage: Bool { false }
}
