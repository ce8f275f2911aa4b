import Annals

/// `views`: lists the views and the inline projections of a store, and the work that those of the program
/// need.
struct ViewsVerb: Verb {
  static let name = "views"
  static let summary =
    "Lists the views and inline projections of the store: version, state, position, lag and size."
  static let synopsis = "<store> [--json]"
  static let help = """

    Text has columns with a tab between: name, version, state (building, ready, outlived, damaged), the
    position up to which it is folded, how many positions the log has beyond that, the bytes of its file,
    whether some process folds it now. Inline projections follow. Their state is building, live or retired,
    and the column of bytes says that the rows are in the log's file. The command for the stores of one plan
    also says of each of its projections whether it will be built again when a program opens it, or needs an
    activation, and why, or that a newer program has built it. Nothing is changed.
    """
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: StorePath
  let isJSON: Bool
  let projections: [KnownProjection]
  private let inline: (any KnownInlineProjections)?

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    projections = arguments.projections
    inline = arguments.inline
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let log = try EventLog(at: store)
    let (views, inlineProjections) = (try log.views(), try log.inlineProjections())
    if !isJSON { try output.writeLine("name\tversion\tstate\tposition\tlag\tbytes\tfolded") }
    for view in views {
      if isJSON {
        try output.write(Self.line(view).bytes)
      } else {
        let columns = [
          PlainText.line(view.name), "\(view.version)", view.state.rawValue,
          view.position.map { "\($0)" } ?? "-", "\(view.lag)", "\(view.bytes)", view.isFolded ? "now" : "-",
        ]
        try output.writeLine(columns.joined(separator: "\t"))
      }
    }
    for info in inlineProjections {
      try output.write(isJSON ? Self.line(info).bytes : Array("\(Self.text(info))\n".utf8))
    }
    for projection in projections {
      try show(Self.need(projection, in: store), of: projection.name, projection.version, to: &output)
    }
    for (name, version, need) in try inline?.needs(in: store) ?? [] {
      try show(Need(need), of: name, version, to: &output)
    }
    return ExitStatus.success
  }

  private func show(
    _ need: Need, of name: String, _ version: Int, to output: inout some ByteOutput
  ) throws {
    if isJSON {
      var line = ReportLine()
      line.add("projection", name)
      line.add("version", UInt64(clamping: version))
      line.add("needsBuild", need.isDue)
      line.add("reason", need.reason)
      return try output.write(line.bytes)
    }
    let text =
      switch need {
      case .none: "up to date"
      case .build(let reason): "to be built, because \(PlainText.line(reason))"
      case .activate(let reason): "to be activated, because \(PlainText.line(reason))"
      case .newerProgram(let reason): "not to be built, because \(PlainText.line(reason))"
      }
    try output.writeLine("\(PlainText.line(name)) \(version): \(text)")
  }

  /// The work that a projection needs before a program can read its rows.
  private enum Need {
    case none
    /// It is built when a program opens it.
    case build(because: String)
    /// It comes into force when the store is activated with it.
    case activate(because: String)
    /// A newer program has built it.
    case newerProgram(String)

    init(_ inline: InlineNeed) {
      self =
        switch inline {
        case .none: .none
        case .folding(let reason): .build(because: reason)
        case .activation(let reason): .activate(because: reason)
        case .newerProgram(let reason): .newerProgram(reason)
        }
    }

    var isDue: Bool {
      switch self {
      case .build, .activate: true
      case .none, .newerProgram: false
      }
    }

    var reason: String? {
      switch self {
      case .none: nil
      case .build(let reason), .activate(let reason), .newerProgram(let reason): reason
      }
    }
  }

  /// Returns the work that the view of a projection needs.
  private static func need(_ projection: KnownProjection, in store: StorePath) throws -> Need {
    let status: ViewStatus
    do { status = try projection.look(store) } catch let error as AnnalsError {
      switch error.code {
      case .shapeChanged: return .build(because: error.message)
      case .superseded: return .newerProgram(error.message)
      default: throw error
      }
    }
    if let reason = status.reason { return .build(because: reason) }
    guard let served = status.servedVersion else {
      let newer = try EventLog(at: store).views().first {
        $0.name == projection.name && $0.version > projection.version && $0.state == .ready
      }
      if let newer {
        return .newerProgram(
          "the store has version \(newer.version) and not this one: use the newer program, or remove the view"
        )
      }
      return .build(because: "this version has not been built here")
    }
    return served == status.version ? .none : .build(because: "version \(served) is there")
  }

  private static func line(_ view: ViewInfo) -> ReportLine {
    var line = ReportLine()
    line.add("name", view.name)
    line.add("version", UInt64(clamping: view.version))
    line.add("number", view.number)
    line.add("state", view.state.rawValue)
    line.add("position", view.position)
    line.add("lag", view.lag)
    line.add("bytes", UInt64(clamping: view.bytes))
    line.add("isFolded", view.isFolded)
    return line
  }
  private static func line(_ info: InlineInfo) -> ReportLine {
    var line = ReportLine()
    line.add("inline", info.name)
    line.add("version", UInt64(clamping: info.version))
    line.add("number", info.number)
    line.add("state", info.state.rawValue)
    line.add("position", info.position)
    line.add("lag", info.lag)
    return line
  }

  private static func text(_ info: InlineInfo) -> String {
    [
      PlainText.line(info.name), "\(info.version)", info.state.rawValue,
      info.position.map { "\($0)" } ?? "-", "\(info.lag)", "in the log's file",
      "-",
    ].joined(separator: "\t")
  }
}
