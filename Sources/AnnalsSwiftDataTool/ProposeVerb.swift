import Annals
import AnnalsCommand
import AnnalsSwiftData

/// `propose`: writes a mapping and a schema for a file.
struct ProposeVerb: Verb {
  static let name = "propose"
  static let summary = "Writes a mapping file and a Swift file with a schema for what a file has."
  static let synopsis = "<file> [-o DIR] [--name NAME] [--no-history] [--json]"
  static let help = """

      -o DIR          the folder for mapping.json and the Swift file, by default the current one
      --name NAME     the beginning of the names of the schema and the plan
    \(SourceArguments.help)
    """
  static let grammar = Arguments.Grammar(
    flags: SourceArguments.flags, values: ["-o", "--name"], operands: ["<file>"])

  private let source: SourceArguments
  private let folder: StorePath?
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    source = try SourceArguments(arguments, named: try arguments.value("--name"))
    folder = try arguments.path("-o")
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let proposal = try source.proposal(of: SwiftDataFile(at: source.path.url))
    let files = try write(proposal)
    if isJSON {
      var line = ReportLine()
      line.add("mapping", files[0])
      line.add("schema", files[1])
      line.add("streams", proposal.mapping.entities.map { $0.stream + "N" })
      try output.write(line.bytes)
    } else {
      try output.writeLine("wrote \(files[0]) and \(files[1])")
      for line in Self.streams(proposal.mapping) { try output.writeLine(line) }
    }
    return ExitStatus.success
  }

  /// Writes both files.
  ///
  /// - Returns: Their names.
  private func write(_ proposal: SwiftDataProposal) throws(AnnalsError) -> [String] {
    if let folder { try OutputFile.makeFolder(folder.bytes, folder.description) }
    var files: [String] = []
    for (name, bytes) in [
      ("mapping.json", Array(try proposal.mapping.json())),
      ("\(proposal.mapping.schema).swift", Array(proposal.source.utf8)),
    ] {
      let path = (folder.map { $0.bytes + Array("/".utf8) } ?? []) + Array(name.utf8)
      try OutputFile.write(bytes, to: path, CommandWord(path).description)
      files.append(CommandWord(path).description)
    }
    return files
  }

  /// The streams and events of each entity, in columns.
  private static func streams(_ mapping: SwiftDataMapping) -> [String] {
    let rows = mapping.entities.map { entity in
      [entity.entity, entity.stream + "N", "\(entity.inserted), \(entity.updated), \(entity.deleted)"]
    }
    let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return "  \(cells.joined(separator: "  "))  \(row[2])"
    }
  }
}
