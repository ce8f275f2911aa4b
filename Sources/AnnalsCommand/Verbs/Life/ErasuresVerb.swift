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
  static let synopsis = "<store> [--forget BACKUP] [--json]"
  static let help = """

    The store knows its generations, its contexts and its backups. It does not know of other copies: of
    snapshots of the disk, of files that were copied by hand, or of what a program has written elsewhere.

      --forget BACKUP    records that the backup with this id was destroyed
    """
  static let grammar = Arguments.Grammar(values: ["--forget"], operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool
  private let forgotten: UUID?

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    forgotten = try arguments.value("--forget").map { (text) throws(UsageError) in
      guard let id = UUID(uuidString: text) else {
        throw UsageError("--forget needs the id of a backup, as 'backup' and 'erasures' print it")
      }
      return id
    }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let access: StoreOptions.Access = forgotten == nil ? .readOnly : .readWrite
    let log = try EventLog(at: store.url, options: StoreOptions(access: access, creation: .never))
    if let forgotten { try log.forgetBackup(forgotten) }
    let erasures = try log.erasures()
    for erasure in erasures {
      if isJSON {
        try output.write(Self.line(erasure).bytes)
      } else {
        try output.writeLine(Self.text(erasure))
      }
    }
    return erasures.allSatisfy(\.remains.isEmpty) ? ExitStatus.success : ExitStatus.failure
  }

  private static func line(_ erasure: Erasure) -> ReportLine {
    var line = ReportLine()
    line.add("position", erasure.position)
    line.add("time", erasure.time.description)
    line.add("by", erasure.author)
    line.add("because", erasure.reason)
    line.add("erased", erasure.count)
    line.add("positions", ranges(erasure))
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

  private static func ranges(_ erasure: Erasure) -> [String] {
    erasure.positions.map {
      $0.lowerBound == $0.upperBound ? "\($0.lowerBound)" : "\($0.lowerBound)-\($0.upperBound)"
    }
  }
}
