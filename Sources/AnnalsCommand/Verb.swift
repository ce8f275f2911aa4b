/// Something that the command does with a store.
protocol Verb: Sendable, SendableMetatype {
  /// The word that calls it.
  static var name: String { get }
  /// What it does, in one line.
  static var summary: String { get }
  /// What follows the word, as its help shows it.
  static var synopsis: String { get }
  /// The rest of its help: options and what they mean, one a line.
  static var help: String { get }
  /// What may follow the word, beside the options of every verb.
  static var grammar: Arguments.Grammar { get }

  /// Whether every page of the store is checked first unless the command line says otherwise. It is so for
  /// verbs that read the whole log anyway.
  static var checksEveryPage: Bool { get }

  /// The work that `arguments` ask for.
  init(_ arguments: Arguments) throws(UsageError)

  /// Does the work.
  ///
  /// - Parameters:
  ///   - output: Takes what is asked for.
  ///   - progress: Tells people how far it has come.
  /// - Returns: The exit status.
  /// - Throws: `AnnalsError`, or ``OutputError``.
  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32
}

extension Verb {
  static var checksEveryPage: Bool { false }
}
