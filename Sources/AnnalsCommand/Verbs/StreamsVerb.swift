import Annals

/// `streams`: lists the names of a store's streams, each with the revision of its newest entry.
struct StreamsVerb: Verb {
  static let name = "streams"
  static let summary =
    "Lists the streams in the order of their names' bytes, each with the revision of its newest entry."
  static let synopsis = "<store> [--prefix P] [--json]"
  static let help = """

    Text has a name and a revision on each line, with a tab between. Control characters and backslashes in
    names are escaped.

      --prefix P         only streams whose names begin with P
    """
  static let grammar = Arguments.Grammar(values: ["--prefix"], operands: ["<store>"])

  let store: StorePath
  let prefix: String
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    prefix = try arguments.value("--prefix") ?? ""
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let log = try EventLog(at: store)
    var last: StreamName?
    repeat {
      // Written outside the snapshot, which a slow reader of the output would otherwise keep open.
      let page = try page(of: log, after: last)
      for stream in page { try output.write(isJSON ? Self.line(stream) : Self.text(stream)) }
      last = page.last?.name
    } while last != nil
    return ExitStatus.success
  }

  /// The number of streams listed with one snapshot.
  private static let pageSize = 1_000

  private func page(of log: EventLog, after name: StreamName?) throws(AnnalsError) -> [StreamSummary] {
    try log.read { (snapshot) throws(AnnalsError) in
      var streams = try snapshot.streams(prefix: prefix, after: name)
      var page: [StreamSummary] = []
      while page.count < Self.pageSize, let stream = try streams.next() { page.append(stream) }
      return page
    }
  }

  private static func line(_ stream: StreamSummary) -> [UInt8] {
    var line = ReportLine()
    line.add("stream", stream.name.text)
    line.add("revision", stream.revision.rawValue)
    line.add("first", stream.first.rawValue)
    line.add("last", stream.last.rawValue)
    return line.bytes
  }

  private static func text(_ stream: StreamSummary) -> [UInt8] {
    Array("\(PlainText.escaped(stream.name.text))\t\(stream.revision)\n".utf8)
  }
}
