import Annals

/// `erase`: removes the contents of events.
struct EraseVerb: Verb {
  static let name = "erase"
  static let summary = "Erases the payloads, metadata and ids of events; their positions stay."
  static let synopsis = "<store> [--stream NAME] [--position N]… --by WHO --because WHY [--json]"
  static let help = """

    No read that begins later returns them, in any process. Views are built again. The bytes leave the files
    with the next 'compact' or 'migrate' followed by 'discard-previous'; 'erasures' lists what is left. A
    store with inline projections needs the command of its plan.

      --stream NAME      all events that the stream has now
      --position N       the event at a position; may be repeated
      --by WHO           who asks for it; recorded in the log
      --because WHY      why; recorded in the log
    """
  static let grammar = Arguments.Grammar(
    values: ["--stream", "--by", "--because"], lists: ["--position"], operands: ["<store>"])

  let store: StorePath
  private let request: ErasureRequest
  let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    request = try ErasureRequest(arguments)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let log = try EventLog(at: store.url, options: StoreOptions(creation: .never))
    let report =
      switch request.selection {
      case .stream(let name): try log.erase(stream: name, by: request.author, because: request.reason)
      case .positions(let positions):
        try log.erase(positions, by: request.author, because: request.reason)
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
  }

  let selection: Selection
  let author: String
  let reason: String

  init(_ arguments: Arguments) throws(UsageError) {
    let positions = try arguments.list("--position").map { (text) throws(UsageError) in
      guard let number = UInt64(text), number > 0 else {
        throw UsageError("--position needs a whole number from 1, not '\(text)'")
      }
      return Position(number)
    }
    switch (try arguments.value("--stream"), positions.isEmpty) {
    case (let name?, true): selection = .stream(StreamName(name))
    case (nil, false): selection = .positions(positions)
    case (nil, true): throw UsageError("--stream or --position is missing")
    case (_?, false): throw UsageError("--stream and --position exclude each other")
    }
    guard let author = try arguments.value("--by"), let reason = try arguments.value("--because"),
      !author.isEmpty, !reason.isEmpty
    else { throw UsageError("--by and --because are needed: the log records who asked, and why") }
    self.author = author
    self.reason = reason
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
