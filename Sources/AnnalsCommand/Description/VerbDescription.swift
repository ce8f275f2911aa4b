/// What completions and man pages say of a verb. It follows from the verb's grammar and help.
struct VerbDescription {
  /// An option of a verb.
  struct Option: Equatable {
    /// The name with its dashes.
    let name: String
    /// The name of the value in the help, such as `FILE`; `nil` for an option without a value.
    let value: String?
    /// The explanation, in one line.
    let text: String
  }

  let name: String
  let summary: String
  let synopsis: String
  /// The paragraphs of the help before its options.
  let paragraphs: [String]
  /// The options and the operands that the help explains, in its order.
  let explained: [Option]
  /// All options, by name.
  let options: [Option]

  init(_ verb: any Verb.Type) {
    name = verb.name
    summary = verb.summary
    synopsis = verb.synopsis
    let help = Self.parsed("\(verb.help)\n\(Command.commonHelp)")
    paragraphs = help.paragraphs
    explained = help.options
    var grammar = verb.grammar
    grammar.flags.formUnion(Command.commonFlags)
    let valued = grammar.values.union(grammar.lists).union(Command.commonValues)
    options = grammar.flags.union(valued).sorted().map { name in
      let known = help.options.first { $0.name == name }
      return Option(
        name: name, value: valued.contains(name) ? known?.value ?? "VALUE" : nil,
        text: known?.text ?? (name == "--help" ? "shows the help of the verb" : ""))
    }
  }

  /// Separates the paragraphs of a help from its options.
  ///
  /// An option begins with two spaces. Its explanation follows after at least two more, and goes on in lines
  /// that are indented further.
  static func parsed(_ help: String) -> (paragraphs: [String], options: [Option]) {
    var paragraphs: [String] = []
    var options: [Option] = []
    var isOpen = false
    for line in help.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.drop { $0 == " " }
      let indent = line.count - text.count
      if text.isEmpty {
        isOpen = false
      } else if indent == 0 {
        if isOpen, let last = paragraphs.popLast() {
          paragraphs.append("\(last) \(text)")
        } else {
          paragraphs.append(String(text))
        }
        isOpen = true
      } else if indent <= 4 {
        options.append(option(text))
        isOpen = false
      } else if let last = options.popLast() {
        let more = last.text.isEmpty ? String(text) : "\(last.text) \(text)"
        options.append(Option(name: last.name, value: last.value, text: more))
      }
    }
    return (paragraphs, options)
  }

  /// An option from its first line.
  private static func option(_ line: Substring) -> Option {
    let words = line.split(separator: "  ", maxSplits: 1)
    let head = words[0].split(separator: " ", maxSplits: 1)
    return Option(
      name: String(head[0]), value: head.count > 1 ? String(head[1]) : nil,
      text: words.count > 1 ? String(words[1].drop { $0 == " " }) : "")
  }
}
