import Annals

/// The words of verbs that change what of a stream can be read and written.
struct ChangeArguments {
  static let values: Set<String> = ["--by", "--because"]
  static let help = """
      --by WHO           who asks for it; recorded in the log
      --because WHY      why; recorded in the log
    """

  let store: StorePath
  let stream: StreamName
  let author: String
  let reason: String
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    stream = StreamName(try arguments.text(operand: 1))
    author = try arguments.value("--by") ?? ""
    reason = try arguments.value("--because") ?? ""
    isJSON = arguments.has("--json")
  }

  /// Opens the store, which must exist, for writing.
  func log() throws(AnnalsError) -> EventLog {
    try EventLog(at: store.url, options: StoreOptions(creation: .never))
  }

  /// Writes the result.
  ///
  /// - Parameters:
  ///   - position: The position of the system entry; `nil` if nothing had to be changed.
  ///   - done: The change in words, after the stream's name.
  ///   - idle: Why nothing had to be changed, after the stream's name; by default that it was done before.
  func report(
    _ position: Position?, _ done: String, idle: String? = nil, to output: inout some ByteOutput
  ) throws {
    if isJSON {
      var line = ReportLine()
      line.add("stream", stream.text)
      line.add("changed", position != nil)
      line.add("position", position)
      try output.write(line.bytes)
    } else {
      let name = PlainText.line(stream.text)
      try output.writeLine(
        position.map { "stream '\(name)' is \(done) from position \($0) on" }
          ?? "stream '\(name)' \(idle ?? "was \(done) before"); nothing was changed")
    }
  }
}
