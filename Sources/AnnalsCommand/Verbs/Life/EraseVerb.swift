import Annals

/// `erase`: removes the contents of events.
struct EraseVerb: Verb {
  static let name = "erase"
  static let summary = "Erases the payloads, metadata and ids of events; their positions stay."
  static let synopsis =
    "<store> [--stream NAME | --position N… | --tag T… [--type T…] | --where NAME=VALUE] --by WHO --because WHY [--json]"
  static let help = """

    No read that begins later returns them, in any process. Views are built again. The bytes leave the files
    with the next 'compact' or 'migrate' followed by 'discard-previous'; 'erasures' lists what is left. A
    store with inline projections needs the command of its plan.

      --stream NAME      all events that the stream has now
      --position N       the event at a position; may be repeated
      --tag T            the events with a tag; repeated, with all of them
      --type T           of these, the ones of the record type T, by its stored name; may be repeated
      --where NAME=VALUE
                         the events that a selection of the plan's command chooses
      --by WHO           who asks for it; recorded in the log
      --because WHY      why; recorded in the log
    """
  static let grammar = Arguments.Grammar(
    values: ["--stream", "--where", "--by", "--because"], lists: ["--position", "--tag", "--type"],
    operands: ["<store>"])

  private static let needsPlan = "--where needs the command of the store's plan, which declares selections"

  let store: StorePath
  private let request: ErasureRequest
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    request = try ErasureRequest(arguments)
    if case .chosen = request.selection { throw UsageError(Self.needsPlan) }
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let log = try EventLog(at: store.url, options: StoreOptions(creation: .never))
    try request.mustMeanEvents(of: log)
    let report =
      switch request.selection {
      case .stream(let name): try log.erase(stream: name, by: request.author, because: request.reason)
      case .positions(let positions):
        try log.erase(positions, by: request.author, because: request.reason)
      case .matching(let query): try log.erase(matching: query, by: request.author, because: request.reason)
      case .chosen: throw UsageError(Self.needsPlan)
      }
    try report.write(to: &output, isJSON: isJSON)
    return ExitStatus.success
  }
}

/// What a command line asks to be erased.
struct ErasureRequest {
  enum Selection {
    case stream(StreamName)
    case positions([Position])
    case matching(LogQuery)
    /// What a selection of the plan's command chooses for a value.
    case chosen(name: String, value: String)
  }

  let selection: Selection
  let author: String
  let reason: String

  init(_ arguments: Arguments) throws(UsageError) {
    let positions = try arguments.list("--position").map { (text) throws(UsageError) in
      guard let number = Arguments.wholeNumber(text), number > 0 else {
        throw UsageError("--position needs a whole number from 1, not '\(text)'")
      }
      return Position(number)
    }
    var selections: [Selection] = []
    if let name = try arguments.value("--stream") { selections.append(.stream(StreamName(name))) }
    if !positions.isEmpty { selections.append(.positions(positions)) }
    if let query = try QueryArguments.query(arguments) {
      // A type alone may be most of the log.
      guard try !arguments.list("--tag").isEmpty else { throw UsageError("--type needs --tag") }
      selections.append(.matching(query))
    }
    if let words = try arguments.value("--where") { selections.append(try Self.chosen(by: words)) }
    guard let selection = selections.first else {
      throw UsageError("--stream, --position, --tag or --where is missing")
    }
    guard selections.count == 1 else {
      throw UsageError("--stream, --position, --tag and --where exclude each other")
    }
    self.selection = selection
    guard let author = try arguments.value("--by"), let reason = try arguments.value("--because"),
      !author.isEmpty, !reason.isEmpty
    else { throw UsageError("--by and --because are needed: the log records who asked, and why") }
    self.author = author
    self.reason = reason
  }

  private static func chosen(by words: String) throws(UsageError) -> Selection {
    let parts = words.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty else {
      throw UsageError("--where needs the name of a selection and a value, as in 'customer=7'")
    }
    return .chosen(name: String(parts[0]), value: String(parts[1]))
  }
}

extension ErasureRequest {
  /// Throws if the entry at one of the positions records a change of the log itself.
  func mustMeanEvents(of log: EventLog) throws(AnnalsError) {
    guard case .positions(let positions) = selection else { return }
    try log.read { (snapshot) throws(AnnalsError) in
      for position in positions where try snapshot.entry(at: position)?.stream == "$annals" {
        throw AnnalsError(
          .wrongUse,
          "position \(position): this entry records a change of the log itself, and has no event that could be erased; nothing was erased",
          details: AnnalsError.Details { $0.position = position })
      }
    }
  }
}

extension ErasureReport {
  func write(to output: inout some ByteOutput, isJSON: Bool) throws {
    if isJSON {
      var line = ReportLine()
      line.add("erased", entries)
      line.add("recorded", recorded.map { "\($0)" })
      try output.write(line.bytes)
    } else if entries == 0 {
      try output.writeLine("there was nothing to erase")
    } else {
      try output.writeLine(
        "erased \(entries) entries; 'annals erasures' lists where their bytes may still be")
    }
  }
}
