import Annals
import AnnalsCommand
import AnnalsSwiftData
import Foundation

/// The command `annals-swiftdata`, which `annals swiftdata` runs.
enum SwiftDataCommand {
  private static let name = "annals-swiftdata"

  /// Runs a command line and returns the exit status.
  static func run(_ words: [CommandWord]) -> Int32 {
    do throws(AnnalsError) {
      if words.contains("--help") || words.contains("-h") || words.first == "help" {
        try OutputFile.writeResult(Array(help.utf8))
        return 0
      }
      let arguments: SwiftDataArguments
      do { arguments = try SwiftDataArguments(words) } catch {
        throw AnnalsError(error.code, "\(error.message); '\(name) --help' lists the verbs")
      }
      let output =
        switch arguments.verb {
        case "inspect": try inspect(arguments)
        case "propose": try propose(arguments)
        default: try importRows(arguments)
        }
      try OutputFile.writeResult(Array(output.utf8))
      return 0
    } catch {
      guard let report = FailureReport(error, command: name) else { return 0 }
      // If the failure cannot be reported, the exit status still shows it.
      try? FileHandle.standardError.write(contentsOf: words.contains("--json") ? report.json : report.text)
      return report.status
    }
  }

  private static func inspect(_ arguments: SwiftDataArguments) throws(AnnalsError) -> String {
    let inspection = SwiftDataInspection(try SwiftDataFile(at: arguments.operands[0].url()))
    return arguments.isJSON ? inspection.json() : inspection.text()
  }

  private static func propose(_ arguments: SwiftDataArguments) throws(AnnalsError) -> String {
    let source = arguments.operands[0]
    let file = try SwiftDataFile(at: source.url())
    let proposal = try file.proposal(named: try schemaName(arguments), history: arguments.hasHistory)
    let folder = arguments["-o"]
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
    if arguments.isJSON {
      var line = ReportLine()
      line.add("mapping", files[0])
      line.add("schema", files[1])
      line.add("streams", proposal.mapping.entities.map { $0.stream + "N" })
      return String(decoding: line.bytes, as: UTF8.self)
    }
    let rows = proposal.mapping.entities.map { entity in
      [entity.entity, entity.stream + "N", "\(entity.inserted), \(entity.updated), \(entity.deleted)"]
    }
    let widths = (0..<2).map { column in rows.map { $0[column].count }.max() ?? 0 }
    let streams = rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      return "  \(cells.joined(separator: "  "))  \(row[2])\n"
    }
    return "wrote \(files[0]) and \(files[1])\n" + streams.joined()
  }

  /// The name of the schema: that of `--name`, or of the file without its suffix.
  private static func schemaName(_ arguments: SwiftDataArguments) throws(AnnalsError) -> String {
    if let word = arguments["--name"] {
      guard let text = word.text else {
        throw SwiftDataArguments.wrong("--name needs text in UTF-8, not '\(word)'")
      }
      return text
    }
    let name = arguments.operands[0].description.split(separator: "/").last ?? ""
    let stem = name.split(separator: ".").first.map(String.init) ?? ""
    // `default.store` is the name that SwiftData gives every store.
    return stem.isEmpty || stem == "default" ? "App" : stem
  }

  private static func importRows(_ arguments: SwiftDataArguments) throws(AnnalsError) -> String {
    let file = try SwiftDataFile(at: arguments.operands[0].url())
    let mapping =
      if let word = arguments["--mapping"] {
        try SwiftDataMapping(
          json: Data(try InputBytes.all(of: word.bytes, word.description, limit: 64 << 20)))
      } else {
        try file.proposal(named: try schemaName(arguments), history: arguments.hasHistory).mapping
      }
    let log = try EventLog(at: arguments.operands[1].url())
    // Progress is for people at a terminal, as in the other commands.
    let isTerminal = isatty(STDERR_FILENO) == 1
    func show(_ text: String) {
      if isTerminal { try? FileHandle.standardError.write(contentsOf: Data("\r\(text)\u{1b}[K".utf8)) }
    }
    defer { show("") }
    let report = try file.importRows(into: log, mapping: mapping) { show("\($0.stored) events") }
    if arguments.isJSON {
      var line = ReportLine()
      for (key, number) in [
        ("rows", report.rows), ("stored", report.stored), ("inserted", report.inserted),
        ("updated", report.updated), ("deleted", report.deleted), ("incomplete", report.incomplete),
        ("skipped", report.skipped), ("otherChanges", report.otherChanges),
      ] {
        line.add(key, UInt64(number))
      }
      return String(decoding: line.bytes, as: UTF8.self)
    }
    var text =
      "\(report.stored) events stored: \(report.inserted) inserted, \(report.updated) updated, "
      + "\(report.deleted) deleted; \(report.rows) rows read\n"
    if report.incomplete > 0 {
      text += "\(report.incomplete) events are incomplete: the history has no old values\n"
    }
    if report.skipped > 0 {
      text += "\(report.skipped) rows were skipped: their streams have events that were not imported\n"
    }
    if report.otherChanges > 0 {
      text += "\(report.otherChanges) changes were left out: the mapping does not have their entities\n"
    }
    return text
  }

  private static let help = """
    usage: annals-swiftdata inspect FILE [--json]
           annals-swiftdata propose FILE [-o DIR] [--name NAME] [--no-history] [--json]
           annals-swiftdata import FILE STORE [--mapping FILE | --no-history] [--json]

    Reads a file of SwiftData or Core Data, such as default.store. The file and what is next to it are copied
    first, and nothing there is changed.

      inspect  shows the entities with their rows, attributes and relationships, and whether there is a history
      propose  writes mapping.json and a Swift file with a schema into DIR, by default the current folder; NAME
               is the beginning of the names of the schema and the plan
      import   appends one event for each row, or for each change of the history, to the store, which is created
               if it is missing; a second run adds only what is new. Without --mapping, the proposed one is used.
               With --no-history, each row is one event, also where the file has a history

    Exit status: 0 done; 1 the streams have events of another file; 64 wrong usage; 65 the file, the mapping or
    the store is bad; 66 no such file; 73 cannot create; 74 input or output failed; 75 the file is being written
    to, try again; 77 no permission.

    """
}
