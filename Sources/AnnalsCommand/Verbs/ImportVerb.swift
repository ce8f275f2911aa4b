import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `import`: appends lines of JSON to a store.
struct ImportVerb: Verb {
  static let name = "import"
  static let summary = "Stores lines of JSON, one entry a line; creates the store if it is missing."
  static let synopsis =
    "<store> FILE|- [--field NAME=KEY] [--version V] [--attachments DIR] [--skip N] [--skip-stubs] [--json]"
  static let help = """

    A line needs 'stream', 'type' and 'data', an object; 'version', 'time', 'id', 'metadata', 'attachments'
    and 'tags' may be absent.
    Lines are stored in batches of up to 4,000, each whole or not at all, once a batch is full or the input
    ends. The import stops at the first bad line and names it. The batches before it are kept, lines of its
    own batch are not, and the error says with which --skip to continue. A line whose id is in its stream
    already is not stored again. A store that was created stays, even if the first batch fails.

      FILE|-             the file to read, or - for standard input
      --field NAME=KEY   the key that the lines use for the field NAME, such as version=v; once for each field
      --version V        the schema version of every line, whatever the line says, such as 1.0.0
      --attachments DIR  attaches the contents of the lines' attachments from files called by their hashes,
                         such as 'blobs' of another store
      --skip N           passes over the first N lines, empty ones included; the file must have as many
      --skip-stubs       leaves out lines of removed and erased entries, and of changes of the log; later
                         entries get lower positions and revisions than in the exported store
    """
  static let grammar = Arguments.Grammar(
    flags: ["--skip-stubs"], values: ["--version", "--attachments", "--skip"], lists: ["--field"],
    operands: ["<store>", "FILE"])

  let store: StorePath
  let file: StorePath?
  let options: ImportOptions
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    let name = try arguments.path(operand: 1)
    file = name.description == "-" ? nil : name
    isJSON = arguments.has("--json")
    var options = ImportOptions(skip: try arguments.count("--skip") ?? 0)
    for text in try arguments.list("--field") {
      let (field, key) = try Self.field(text)
      guard options.keys.updateValue(key, forKey: field) == nil else {
        throw UsageError("--field names '\(field.rawValue)' twice")
      }
    }
    if let text = try arguments.value("--version") {
      guard let version = SchemaVersion(text) else {
        throw UsageError("--version needs a version such as 1.0.0, not '\(text)'")
      }
      options.version = version
    }
    options.attachments = try arguments.path("--attachments")?.url
    options.skipsStubs = arguments.has("--skip-stubs")
    self.options = options
  }

  private static func field(_ text: String) throws(UsageError) -> (EntryField, String) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let names = EntryField.allCases.map(\.rawValue).joined(separator: ", ")
    guard parts.count == 2, !parts[1].isEmpty, let field = EntryField(rawValue: String(parts[0])) else {
      throw UsageError("--field needs NAME=KEY with one of \(names), not '\(text)'")
    }
    return (field, String(parts[1]))
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let report =
      if let file {
        try await run(InputFile(naming: file), &progress)
      } else {
        try await run(.standardInput, &progress)
      }
    if isJSON {
      var line = ReportLine()
      line.add("lines", UInt64(clamping: report.lines))
      line.add("stored", report.stored)
      line.add("repeated", report.repeated)
      line.add("stubs", report.stubs)
      try output.write(line.bytes)
    } else {
      let repeated = report.repeated == 0 ? "" : ", \(report.repeated) were there already"
      let stubs = report.stubs == 0 ? "" : ", \(report.stubs) lines of stubs left out"
      try output.writeLine("\(report.stored) entries stored\(repeated)\(stubs); \(report.lines) lines read")
    }
    return ExitStatus.success
  }
}

extension ImportVerb {
  /// The number of bytes read at a time.
  private static let chunkSize = 256 << 10

  private func run(_ file: borrowing InputFile, _ progress: inout ProgressLine) async throws -> ImportReport {
    try await run(file.descriptor, &progress)
  }

  private func run(_ input: Descriptor, _ progress: inout ProgressLine) async throws -> ImportReport {
    let log = try EventLog(at: store, access: .readWrite)
    var line = progress
    defer { progress = line }
    return try await log.importLines(options) { () throws(AnnalsError) in
      do throws(SystemError) {
        let bytes = try input.read(atMost: Self.chunkSize)
        return bytes.isEmpty ? nil : bytes
      } catch {
        throw AnnalsError(error, doing: "reading '\(file?.description ?? "-")'")
      }
    } progress: { report in
      line.update("\(report.lines) lines")
    }
  }
}

extension InputFile {
  /// Opens the file named on a command line.
  fileprivate init(naming path: StorePath) throws(AnnalsError) {
    do { try self.init(path: path.bytes) } catch { throw AnnalsError(error, doing: "opening '\(path)'") }
  }
}
