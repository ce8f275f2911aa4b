import Annals

/// `census`: counts the events of each record type and schema version in a store.
struct CensusVerb: Verb {
  static let name = "census"
  static let summary =
    "Counts events and bytes of each record type in each schema version, without reading the log."
  static let synopsis = "<store> [--json]"
  static let help = """

    Text has columns with a tab between: type, version, events, bytes of payload, stubs, entries set aside,
    first position, and which versions of the schema read the events. If the last column is missing, the
    store has no such data: only programs of that version and later ones read the events.

    If events have tags, the number of different tags is in a line of its own at the end.

    """
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let info = try EventLog.inspect(store.url)
    if !isJSON { try output.writeLine("type\tversion\tevents\tbytes\tstubs\tset aside\tfirst\tread by") }
    for line in info.census { try output.write(isJSON ? Self.line(line) : Self.text(line)) }
    guard info.tags > 0 else { return ExitStatus.success }
    if isJSON {
      var line = ReportLine()
      line.add("tags", info.tags)
      try output.write(line.bytes)
    } else {
      try output.writeLine("tags\t\(info.tags)")
    }
    return ExitStatus.success
  }

  private static func line(_ census: CensusLine) -> [UInt8] {
    var line = ReportLine()
    line.add("type", census.type)
    line.add("version", census.version)
    line.add("count", census.count)
    line.add("bytes", census.bytes)
    line.add("stubs", census.stubs)
    line.add("quarantined", census.quarantined)
    line.add("first", census.first.rawValue)
    if let oldest = census.oldestReader { line.add("oldestReader", oldest) }
    return line.bytes
  }

  private static func text(_ census: CensusLine) -> [UInt8] {
    var columns = [
      PlainText.escaped(census.type), census.version.map { "\($0)" } ?? "-", "\(census.count)",
      "\(census.bytes)", "\(census.stubs)", "\(census.quarantined)", "\(census.first)",
    ]
    if let oldest = census.oldestReader { columns.append("\(oldest) and later") }
    return Array("\(columns.joined(separator: "\t"))\n".utf8)
  }
}
