import Annals

/// The words of a command line that describe the command itself, and need no store.
extension Command {
  /// Their lines in the general help.
  static let describingHelp = """
    '<verb> --help' explains each. 'completions bash|zsh|fish' prints the completions for a shell, and
    'manual [VERB]' a man page.
    """

  /// Returns the completions or the man page that a command line asks for; `nil` if it has another verb.
  func description(_ words: [CommandWord]) throws(UsageError) -> String? {
    let rest = words.dropFirst().map(\.description)
    // Only now: parsing the help of every verb takes longer than most verbs do.
    func described() -> [VerbDescription] { verbs.map { VerbDescription($0) } }
    switch words.first?.text {
    case "completions":
      guard rest.count == 1, let shell = Completions.Shell(rawValue: rest[0]) else {
        let shells = Completions.Shell.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("completions needs the name of a shell: \(shells)")
      }
      return Completions(name: name, verbs: described()).script(for: shell)
    case "manual":
      let manual = ManualPage(name: name, verbs: described())
      guard let wanted = rest.first else { return manual.command }
      guard rest.count == 1, let verb = manual.verbs.first(where: { $0.name == wanted }) else {
        throw UsageError("manual needs the name of a verb, or none: not '\(rest.joined(separator: " "))'")
      }
      return manual.page(of: verb)
    default: return nil
    }
  }
}
