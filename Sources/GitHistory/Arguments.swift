import Annals

/// The arguments of the example.
struct Arguments: Equatable {
  /// The path of the repository.
  var repository: CommandWord = "."
  /// The path of the store; `nil` for a new temporary folder.
  var store: CommandWord?
  /// Whether only the help is requested.
  var isHelp = false

  /// Parses the arguments after the program's name.
  ///
  /// - Throws: ``Failure`` with status `usage`.
  init(_ arguments: [CommandWord]) throws(Failure) {
    var rest = arguments[...]
    var paths: [CommandWord] = []
    while let argument = rest.popFirst() {
      switch argument.description {
      case "--help", "-h": isHelp = true
      case "--store":
        guard let path = rest.popFirst(), !path.bytes.isEmpty else {
          throw Failure(.usage, "--store needs a path after it")
        }
        store = path
      case "--":
        paths += rest
        rest = []
      case let option where option.hasPrefix("-"):
        throw Failure(.usage, "there is no option '\(option)'")
      default: paths.append(argument)
      }
    }
    guard paths.count <= 1 else { throw Failure(.usage, "one repository at a time") }
    if let path = paths.first { repository = path }
    if repository.bytes.isEmpty { throw Failure(.usage, "the repository's path is empty") }
  }

  /// The text of `--help`.
  static let help = """
    usage: githistory [REPOSITORY] [--store PATH]

    Reads the history of a git repository (the current folder's by default), stores it as events of schema
    version 1, opens the same store with a plan of three versions, and reports what it reads through them.

      --store PATH   where the store is to be, or is; then only new commits are added.
                     Without it a fresh temporary folder is used.
      --help         this text

    Merges are stored without files, as git log shows them. Bytes that are no UTF-8 stand as \\xFF.
    Exit status: 0 done, 64 wrong usage, 65 bad data, 66 no repository, 69 no git, 73 the store cannot be
    created, 74 input or output failed, 75 try again, 77 no permission.
    """
}
