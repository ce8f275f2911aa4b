import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `verify`: everything that must be true of a store.
struct VerifyVerb: Verb {
  static let name = "verify"
  static let summary = "Checks every page, every entry and every table of a store."
  static let synopsis = "<store> [--json]"
  static let help = """

    Each finding names its place and what mends it; the exit status is 1 where there is one. Nothing is changed.

    """
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: String
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = arguments[operand: 0]
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let report = try EventLog.verify(URL(filePath: store)) { done in
      progress.update("\(done.done) of \(done.total) entries")
    }
    do {
      for finding in report.findings { try output.write(isJSON ? Self.line(finding) : Self.text(finding)) }
      if isJSON { try output.write(Self.line(report)) } else { try output.writeLine(Self.text(report)) }
    } catch .closed {
      // Whoever has read enough findings still wants to know whether there are any.
    }
    return report.isClean ? ExitStatus.success : ExitStatus.failure
  }

  private static func line(_ finding: Finding) -> [UInt8] {
    var line = ReportLine()
    line.add("place", finding.place)
    if let position = finding.position { line.add("position", position.rawValue) }
    line.add("problem", finding.problem)
    line.add("repair", finding.repair.rawValue)
    return line.bytes
  }

  private static func text(_ finding: Finding) -> [UInt8] {
    Array(
      "\(PlainText.line("\(finding.place): \(finding.problem); \(finding.repair.rawValue)"))\n".utf8)
  }

  private static func line(_ report: VerifyReport) -> [UInt8] {
    var line = ReportLine()
    line.add("entries", report.entries)
    line.add("streams", report.streams)
    line.add("findings", UInt64(clamping: report.count))
    line.add("isComplete", report.isComplete)
    return line.bytes
  }

  private static func text(_ report: VerifyReport) -> String {
    guard report.isComplete else {
      return "\(report.count) findings in the file's pages; the log was not read"
    }
    let read = "\(report.entries) entries in \(report.streams) streams"
    if report.isClean { return "\(read), nothing wrong" }
    let listed = report.findings.count < report.count ? ", the first \(report.findings.count) listed" : ""
    return "\(read), \(report.count) findings\(listed)"
  }
}
