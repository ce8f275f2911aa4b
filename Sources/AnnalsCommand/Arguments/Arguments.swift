import Annals

/// The words after a verb, parsed into options and operands.
///
/// `--name value` and `--name=value` are the same. Only the second form takes a value that begins with two
/// dashes, because a forgotten value must not take the next option. `--` ends the options, so that operands
/// may begin with a dash. Options may come before, between and after operands. Every word must be one that
/// the verb declares.
package struct Arguments {
  /// The arguments that a verb accepts.
  package struct Grammar {
    /// The names of options without a value.
    package var flags: Set<String>
    /// The names of options with a value.
    package var values: Set<String>
    /// The names of options with a value that may be repeated.
    package var lists: Set<String>
    /// The names of the operands, in order; all are required.
    package var operands: [String]

    package init(
      flags: Set<String> = [], values: Set<String> = [], lists: Set<String> = [], operands: [String]
    ) {
      self.flags = flags
      self.values = values
      self.lists = lists
      self.operands = operands
    }
  }

  /// The projections passed to the command.
  var projections: [KnownProjection] = []
  /// The inline projections passed to the command.
  var inline: (any KnownInlineProjections)?
  /// The selections of events passed to the command.
  var selections: (any KnownSelections)?

  private var flags: Set<String> = []
  private var values: [String: [CommandWord]] = [:]
  private let operands: [CommandWord]
  private let names: [String]

  /// Parses `words` by `grammar`.
  init(_ words: [CommandWord], _ grammar: Grammar) throws(UsageError) {
    var operands: [CommandWord] = []
    var rest = words[...]
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
      // A name that is not UTF-8 matches none.
      let name = parts[0].description
      if grammar.flags.contains(name) {
        guard parts.count == 1 else { throw UsageError("\(name) takes no value") }
        guard flags.insert(name).inserted else { throw UsageError("\(name) stands twice") }
      } else if grammar.values.contains(name) || grammar.lists.contains(name) {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst() else {
          throw UsageError("\(name) needs a value")
        }
        guard parts.count == 2 || !value.bytes.starts(with: "--".utf8) else {
          throw UsageError("\(name) needs a value; if that is '\(value)', write '\(name)=\(value)'")
        }
        guard values[name] == nil || grammar.lists.contains(name) else {
          throw UsageError("\(name) stands twice")
        }
        values[name, default: []].append(value)
      } else {
        throw UsageError("unknown option '\(name)'")
      }
    }
    if operands.count < grammar.operands.count {
      throw UsageError("\(grammar.operands[operands.count]) is missing")
    }
    if operands.count > grammar.operands.count {
      throw UsageError("unexpected '\(operands[grammar.operands.count])'")
    }
    if let empty = operands.firstIndex(where: \.bytes.isEmpty) {
      throw UsageError("\(grammar.operands[empty]) is empty")
    }
    self.operands = operands
    names = grammar.operands
  }

  /// Whether the option `name` is present.
  package func has(_ name: String) -> Bool {
    flags.contains(name)
  }

  /// Returns the value of the option `name`, `nil` if it is absent.
  ///
  /// - Throws: ``UsageError`` if the value is not UTF-8, because any replacement would have another meaning.
  package func value(_ name: String) throws(UsageError) -> String? {
    try values[name]?.first.map { (word) throws(UsageError) in try Self.text(word, name) }
  }

  /// Returns every value of the option `name`, in order.
  package func list(_ name: String) throws(UsageError) -> [String] {
    try values[name, default: []].map { (word) throws(UsageError) in try Self.text(word, name) }
  }

  /// Returns the value of the option `name` as a path, `nil` if it is absent.
  package func path(_ name: String) throws(UsageError) -> StorePath? {
    try values[name]?.first.map { (word) throws(UsageError) in
      guard !word.bytes.isEmpty else { throw UsageError("\(name) needs a path") }
      return try StorePath(word)
    }
  }

  /// Returns the operand at `index`, which the grammar has, as a path.
  package func path(operand index: Int) throws(UsageError) -> StorePath {
    try StorePath(operands[index])
  }

  /// The store named on the command line; `nil` if there is none.
  var store: StorePath? {
    get throws(UsageError) {
      guard let index = names.firstIndex(where: { ["<store>", "SRC"].contains($0) }) else {
        return try path("--store")
      }
      return try path(operand: index)
    }
  }

  /// Whether to check every page first.
  func trustsNobody(byDefault: Bool) throws(UsageError) -> Bool {
    switch try value("--trust") {
    case nil: byDefault
    case "own": false
    case "nobody": true
    case let other?: throw UsageError("--trust needs 'own' or 'nobody', not '\(other)'")
    }
  }

  /// Returns the operand at `index`, which the grammar has, as a text.
  package func text(operand index: Int) throws(UsageError) -> String {
    try Self.text(operands[index], names[index])
  }

  private static func text(_ word: CommandWord, _ name: String) throws(UsageError) -> String {
    guard let text = word.text else { throw UsageError("\(name) needs text in UTF-8, not '\(word)'") }
    return text
  }

  /// Returns the value of the option `name` as a whole number in decimal digits.
  package func number(_ name: String) throws(UsageError) -> UInt64? {
    guard let text = try value(name) else { return nil }
    guard Self.isNumber(text) else { throw UsageError("\(name) needs a whole number, not '\(text)'") }
    guard let number = UInt64(text) else { throw UsageError("\(name) is too large") }
    return number
  }

  /// Returns the value of the option `name` as a count. Values too large for any log are clamped.
  package func count(_ name: String) throws(UsageError) -> Int? {
    guard let text = try value(name) else { return nil }
    guard Self.isNumber(text) else { throw UsageError("\(name) needs a whole number, not '\(text)'") }
    return Int(text) ?? .max
  }

  /// Returns a whole number in decimal digits; `nil` if the text is none, or too large.
  static func wholeNumber(_ text: some StringProtocol) -> UInt64? {
    isNumber(text) ? UInt64(text) : nil
  }

  private static func isNumber(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }
}
