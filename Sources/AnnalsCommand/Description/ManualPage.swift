/// The man pages of a command: one for the command, and one for each verb.
struct ManualPage {
  /// The name of the command.
  let name: String
  let verbs: [VerbDescription]

  /// The page of the command.
  var command: String {
    """
    .TH \(Self.argument(name.uppercased())) 1
    .SH NAME
    \(Self.text(name)) \\- stores of events: look at them, check, copy, import and repair them
    .SH SYNOPSIS
    .B \(Self.text(name))
    .I verb store
    .RI [ options ]
    .SH DESCRIPTION
    A store is a directory. Each verb works on one, and has a page of its own, such as
    .BR \(Self.text(name))\\-\(Self.text(verbs.first?.name ?? "info")) (1).
    .SH VERBS
    \(verbs.map { ".TP\n.B \(Self.text($0.name))\n\(Self.line($0.summary))" }.joined(separator: "\n"))
    \(Self.status)

    """
  }

  /// The page of a verb.
  func page(of verb: VerbDescription) -> String {
    let description = [verb.summary] + verb.paragraphs
    let options = verb.explained.map { option in
      let tag =
        option.value.map { ".BI \(Self.argument("\(option.name) ")) \(Self.argument($0))" }
        ?? ".B \(Self.text(option.name))"
      return ".TP\n\(tag)\n\(Self.line(option.text))"
    }
    return """
      .TH \(Self.argument("\(name)-\(verb.name)".uppercased())) 1
      .SH NAME
      \(Self.text("\(name)-\(verb.name)")) \\- \(Self.text(Completions.label(verb.summary)))
      .SH SYNOPSIS
      .B \(Self.text("\(name) \(verb.name)"))
      \(Self.line(verb.synopsis))
      .SH DESCRIPTION
      \(description.map(Self.line).joined(separator: "\n.PP\n"))
      .SH OPTIONS
      \(options.joined(separator: "\n"))
      \(Self.status)
      .SH SEE ALSO
      .BR \(Self.text(name)) (1)

      """
  }

  private static var status: String {
    let text = ExitStatus.help.split(separator: "\n").joined(separator: " ")
    let words = text.hasPrefix("Exit status: ") ? text.dropFirst(13) : text[...]
    return ".SH EXIT STATUS\n\(line(String(words)))"
  }

  /// Returns a line of text. A line must not begin with the sign of a request.
  private static func line(_ text: String) -> String {
    let line = Self.text(text.split(separator: "\n").joined(separator: " "))
    return line.hasPrefix(".") || line.hasPrefix("'") ? "\\&\(line)" : line
  }

  /// Returns a text for roff: dashes are those of options, and a backslash is itself.
  private static func text(_ text: String) -> String {
    text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
  }

  /// Returns a text as one argument of a request.
  private static func argument(_ text: String) -> String {
    "\"\(Self.text(text).replacing("\"", with: "\\(dq"))\""
  }
}
