/// The completions of a command for a shell: verbs, then the options of the verb, otherwise files.
struct Completions {
  /// A shell that has completions.
  enum Shell: String, CaseIterable {
    case bash, zsh, fish
  }

  /// The name of the command.
  let name: String
  let verbs: [VerbDescription]

  /// The program of the shell that defines the completions.
  func script(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// The name of the shell's function.
  private var function: String {
    "_"
      + String(
        name.unicodeScalars.map { $0.properties.isAlphabetic || $0.isASCIIDigit ? Character($0) : "_" })
  }

  private var bash: String {
    let cases = verbs.map { verb in
      "    \(verb.name)) words='\(verb.options.map(\.name).joined(separator: " "))' ;;"
    }
    return """
      # Completions of \(name) for bash.
      \(function)() {
        local current=${COMP_WORDS[COMP_CWORD]} words=
        COMPREPLY=()
        if [ "$COMP_CWORD" -eq 1 ]; then
          words='\(verbs.map(\.name).joined(separator: " "))'
        else
          case ${COMP_WORDS[1]} in
      \(cases.joined(separator: "\n"))
          esac
          # Anything else is the name of a file, which the shell completes by itself.
          case $current in -*) ;; *) return ;; esac
        fi
        COMPREPLY=($(compgen -W "$words" -- "$current"))
      }
      complete -o default -o bashdefault -F \(function) \(Self.quoted(name))

      """
  }

  private var zsh: String {
    let list = verbs.map { "    \(Self.quoted("\($0.name):\(Self.label($0.summary))"))" }
    let cases = verbs.map { verb in
      let options = verb.options.map { option in
        let label = Self.label(option.text).replacing("[", with: "(").replacing("]", with: ")")
        // A value is taken after a space and after an equals sign.
        let value = option.value.map { ":\(Self.label($0).replacing(":", with: " ")):_files" } ?? ""
        return Self.quoted("*\(option.name)\(option.value == nil ? "" : "=")[\(label)]\(value)")
      }
      return "    \(verb.name)) _arguments \(options.joined(separator: " ")) '*:file:_files' ;;"
    }
    return """
      #compdef \(name)
      # Completions of \(name) for zsh.
      \(function)() {
        local -a verbs
        if (( CURRENT == 2 )); then
          verbs=(
      \(list.joined(separator: "\n"))
          )
          _describe verb verbs
          return
        fi
        shift words
        (( CURRENT-- ))
        case $words[1] in
      \(cases.joined(separator: "\n"))
        esac
      }
      if [ "$funcstack[1]" = \(Self.quoted(function)) ]; then \(function) "$@"; else compdef \(function) \(Self.quoted(name)); fi

      """
  }

  private var fish: String {
    var lines = ["# Completions of \(name) for fish."]
    let command = Self.quoted(name)
    for verb in verbs {
      lines.append(
        "complete -c \(command) -n __fish_use_subcommand -f -a \(Self.quoted(verb.name)) -d \(Self.quoted(Self.label(verb.summary)))"
      )
      for option in verb.options {
        let bare = String(option.name.drop { $0 == "-" })
        let form = option.name.hasPrefix("--") ? "-l" : "-s"
        lines.append(
          "complete -c \(command) -n '__fish_seen_subcommand_from \(verb.name)' \(form) \(bare)\(option.value == nil ? "" : " -r") -d \(Self.quoted(Self.label(option.text)))"
        )
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns the first sentence of a text, short enough for a list.
  static func label(_ text: String) -> String {
    let line = text.split(separator: "\n").joined(separator: " ")
    let clause = line.prefix { $0 != ";" && $0 != ":" }
    let label = clause.count > 72 ? "\(clause.prefix(71))…" : String(clause)
    return label.hasSuffix(".") ? String(label.dropLast()) : label
  }

  /// Returns a text in single quotation marks.
  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: "'\\''"))'"
  }
}

extension Unicode.Scalar {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
