import Annals
import AnnalsCommand
import AnnalsSwiftData

/// The words of verbs that make a mapping from a file.
struct SourceArguments {
  static let flags: Set<String> = ["--no-history"]
  static let help = """
      --no-history    makes one event of each row, also where the file has a history
    """

  let path: StorePath
  /// Whether changes of a history are wanted.
  let hasHistory: Bool
  private let name: String?

  init(_ arguments: Arguments, named name: String? = nil) throws(UsageError) {
    path = try arguments.path(operand: 0)
    hasHistory = !arguments.has("--no-history")
    self.name = name
  }

  /// The name of the schema: the one that was given, or that of the file without its suffix.
  var schema: String {
    if let name { return name }
    let file = path.description.split(separator: "/").last ?? ""
    let stem = file.split(separator: ".").first.map(String.init) ?? ""
    // `default.store` is the name that SwiftData gives every store.
    return stem.isEmpty || stem == "default" ? "App" : stem
  }

  /// Returns the proposed mapping and schema of the file.
  func proposal(of file: SwiftDataFile) throws(AnnalsError) -> SwiftDataProposal {
    try file.proposal(named: schema, history: hasHistory)
  }
}
