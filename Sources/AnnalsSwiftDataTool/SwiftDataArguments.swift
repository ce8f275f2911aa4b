import Annals

/// The words of a command line, parsed into a verb, operands and options.
struct SwiftDataArguments {
  /// The options of each verb, with whether they have a value, and the names of its operands.
  private static let verbs: [String: (options: [String: Bool], operands: [String])] = [
    "inspect": (["--json": false], ["FILE"]),
    "propose": (["--json": false, "-o": true, "--name": true, "--no-history": false], ["FILE"]),
    "import": (["--json": false, "--mapping": true, "--no-history": false], ["FILE", "STORE"]),
  ]

  let verb: String
  let operands: [CommandWord]
  private var options: [String: CommandWord] = [:]

  /// Parses `words`.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse`.
  init(_ words: [CommandWord]) throws(AnnalsError) {
    guard let word = words.first else { throw Self.wrong("a verb is missing") }
    guard let verb = word.text, let grammar = Self.verbs[verb] else {
      throw Self.wrong("unknown verb '\(word)'")
    }
    self.verb = verb
    var operands: [CommandWord] = []
    var rest = words.dropFirst()
    var isOptions = true
    while let word = rest.popFirst() {
      guard isOptions, word.bytes.first == UInt8(ascii: "-"), word.bytes.count > 1 else {
        operands.append(word)
        continue
      }
      if word == "--" {
        isOptions = false
        continue
      }
      let parts = word.bytes.split(
        separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false
      ).map { CommandWord(Array($0)) }
      let name = parts[0].description
      guard let hasValue = grammar.options[name] else { throw Self.wrong("unknown option '\(name)'") }
      guard options[name] == nil else { throw Self.wrong("\(name) is there twice") }
      if hasValue {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), !value.bytes.isEmpty else {
          throw Self.wrong("\(name) needs a value")
        }
        options[name] = value
      } else {
        guard parts.count == 1 else { throw Self.wrong("\(name) takes no value") }
        options[name] = CommandWord("")
      }
    }
    guard operands.count >= grammar.operands.count else {
      throw Self.wrong("\(grammar.operands[operands.count]) is missing")
    }
    guard operands.count == grammar.operands.count else {
      throw Self.wrong("unexpected '\(operands[grammar.operands.count])'")
    }
    self.operands = operands
    if options["--mapping"] != nil, options["--no-history"] != nil {
      throw Self.wrong("--no-history is for the proposed mapping; write \"history\": false into this one")
    }
  }

  /// Whether changes of a history are wanted.
  var hasHistory: Bool { options["--no-history"] == nil }

  /// Whether the result is JSON.
  var isJSON: Bool { options["--json"] != nil }

  /// Returns the value of an option.
  subscript(option: String) -> CommandWord? { options[option] }

  static func wrong(_ message: String) -> AnnalsError { AnnalsError(.wrongUse, message) }
}
