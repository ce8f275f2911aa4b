import Annals
import AnnalsCommand
import AnnalsSwiftData
import Foundation

/// `import`: appends the rows of a file, or the changes of its history, to a store.
struct ImportRowsVerb: Verb {
  static let name = "import"
  static let summary = "Appends one event for each row of a file, or for each change of its history."
  static let synopsis = "<file> <store> [--mapping FILE | --no-history] [--json]"
  static let help = """

    The store is created if it is missing. A second run adds only what is new. It exits with 1 if the streams
    have events of another file.

      --mapping FILE  uses this mapping, in place of the one that 'propose' would write
    \(SourceArguments.help)
    """
  static let grammar = Arguments.Grammar(
    flags: SourceArguments.flags, values: ["--mapping"], operands: ["<file>", "<store>"])
  /// The size of a mapping file that is surely none.
  private static let limit = 64 << 20

  private let source: SourceArguments
  private let store: StorePath
  private let mapping: StorePath?
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    source = try SourceArguments(arguments)
    store = try arguments.path(operand: 1)
    mapping = try arguments.path("--mapping")
    isJSON = arguments.has("--json")
    if mapping != nil, !source.hasHistory {
      throw UsageError(
        "--no-history is for the proposed mapping; write \"history\": false into this one")
    }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let file = try SwiftDataFile(at: source.path.url)
    let mapping =
      if let path = mapping {
        try SwiftDataMapping(
          json: Data(try InputBytes.all(of: path.bytes, path.description, limit: Self.limit)))
      } else {
        try source.proposal(of: file).mapping
      }
    // A mapping that does not fit makes no store.
    try file.check(mapping)
    let log = try EventLog(at: store.url)
    let report = try file.importRows(into: log, mapping: mapping) { progress.update("\($0.stored) events") }
    let unread = SwiftDataInspection(file).unread
    if isJSON {
      var line = Self.line(report)
      line.add("unread", unread)
      try output.write(line.bytes)
    } else {
      var lines = Self.lines(report)
      if !unread.isEmpty { lines.append("tables that are not imported: \(unread.joined(separator: ", "))") }
      for line in lines { try output.writeLine(PlainLine.escaped(line)) }
    }
    return ExitStatus.success
  }

  private static func line(_ report: SwiftDataImportReport) -> ReportLine {
    var line = ReportLine()
    for (key, number) in [
      ("rows", report.rows), ("stored", report.stored), ("inserted", report.inserted),
      ("updated", report.updated), ("deleted", report.deleted), ("incomplete", report.incomplete),
      ("skipped", report.skipped), ("otherChanges", report.otherChanges),
    ] {
      line.add(key, UInt64(number))
    }
    return line
  }

  private static func lines(_ report: SwiftDataImportReport) -> [String] {
    var lines = [
      "\(report.stored) events stored: \(report.inserted) inserted, \(report.updated) updated, "
        + "\(report.deleted) deleted; \(report.rows) rows read"
    ]
    if report.incomplete > 0 {
      lines.append("\(report.incomplete) events are incomplete: the history has no old values")
    }
    if report.skipped > 0 {
      lines.append("\(report.skipped) rows were skipped: their streams have events that were not imported")
    }
    if report.otherChanges > 0 {
      lines.append(
        "\(report.otherChanges) changes were left out: the mapping does not have their entities")
    }
    return lines
  }
}
