import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `erasures`: lists the erasures of a store, and where bytes of erased events may still be.
struct ErasuresVerb: Verb {
  static let name = "erasures"
  static let summary = "Lists each erasure, and where its bytes may remain. Exits with 1 while any do."
  static let synopsis = "<store> [--forget BACKUP] [--finish] [--json]"
  static let help = """

    The store knows its generations, contexts, views, attachments and backups. It does not know of other
    copies: of snapshots of the disk, of files that were copied by hand, or of what a program has written
    elsewhere. An erasure whose program was killed is listed until it is complete.

      --forget BACKUP    records that the backup with this id was destroyed
      --finish           first completes an erasure whose program was killed; a store with inline
                         projections needs an open with its plan, and a removal of keys one with its keys
    """
  static let grammar = Arguments.Grammar(flags: ["--finish"], values: ["--forget"], operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool
  private let forgotten: UUID?
  private let finishes: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    finishes = arguments.has("--finish")
    forgotten = try arguments.value("--forget").map { (text) throws(UsageError) in
      guard let id = UUID(uuidString: text) else {
        throw UsageError("--forget needs the id of a backup, as 'erasures' and 'backup --json' print it")
      }
      return id
    }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let access: StoreOptions.Access = forgotten == nil && !finishes ? .readOnly : .readWrite
    let log = try EventLog(at: store.url, options: StoreOptions(access: access, creation: .never))
    if let forgotten { try log.forgetBackup(forgotten) }
    if finishes { try log.finishErasures() }
    // An erasure that ends meanwhile is among the complete ones.
    let unfinished = try log.unfinishedErasures()
    let erasures = try log.erasures()
    for erasure in erasures {
      if isJSON {
        try output.write(Self.line(erasure).bytes)
      } else {
        try output.writeLine(Self.text(erasure))
      }
    }
    for erasure in unfinished {
      if isJSON {
        try output.write(Self.line(erasure).bytes)
      } else {
        try output.writeLine(Self.text(erasure))
      }
    }
    let isComplete = unfinished.isEmpty && erasures.allSatisfy(\.remains.isEmpty)
    return isComplete ? ExitStatus.success : ExitStatus.failure
  }

  private static func line(_ erasure: Erasure.Unfinished) -> ReportLine {
    var line = ReportLine()
    line.add("unfinished", true)
    line.add("by", erasure.author)
    line.add("because", erasure.reason)
    line.add("positions", ranges(erasure.positions))
    return line
  }

  private static func text(_ erasure: Erasure.Unfinished) -> String {
    let what =
      erasure.positions.isEmpty
      ? "the removal of a person's keys"
      : "the erasure of the entries \(ranges(erasure.positions).joined(separator: ", "))"
    let remedy =
      erasure.positions.isEmpty
      ? "the next open of the store with its plan and its keys completes it"
      : "the next open of the store with its plan, or --finish, completes it"
    let who = "by \(PlainText.line(erasure.author)): \(PlainText.line(erasure.reason))"
    return "not complete: \(what), \(who); \(remedy)"
  }

  private static func line(_ erasure: Erasure) -> ReportLine {
    var line = ReportLine()
    line.add("position", erasure.position)
    line.add("time", erasure.time.description)
    line.add("by", erasure.author)
    line.add("because", erasure.reason)
    line.add("erased", erasure.count)
    line.add("positions", ranges(erasure.positions))
    line.add("remains", erasure.remains.map(\.description))
    return line
  }

  private static func text(_ erasure: Erasure) -> String {
    let remains =
      erasure.remains.isEmpty
      ? "in no file of the store"
      : "may remain in " + erasure.remains.map(\.description).joined(separator: ", ")
    let what = erasure.positions.isEmpty ? "a key was dropped" : "\(erasure.count) entries"
    let who = "by \(PlainText.line(erasure.author)): \(PlainText.line(erasure.reason))"
    return """
      position \(erasure.position), \(erasure.time): \(what), \(who); \
      \(PlainText.line(remains))
      """
  }

  private static func ranges(_ positions: [ClosedRange<Position>]) -> [String] {
    positions.map {
      $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }
  }
}
