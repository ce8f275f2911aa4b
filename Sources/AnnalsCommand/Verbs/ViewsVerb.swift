import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `views`: the views of a store, and what becomes of those that the program has.
struct ViewsVerb: Verb {
  static let name = "views"
  static let summary = "Lists the views of the store: version, state, position, lag and size."
  static let synopsis = "<store> [--json]"
  static let help = """

    Text has columns with a tab between: name, version, state (building, ready, outlived), the position up to which it is folded, how many positions the
    log has beyond that, the bytes of its file, whether some process folds it now. The command for the stores of one plan also says of each of its
    projections whether its view is to be built anew when a program opens it, and why, or that a newer program has built it. Nothing is changed.
    """
  static let grammar = Arguments.Grammar(operands: ["<store>"])

  let store: String
  let isJSON: Bool
  let projections: [KnownProjection]

  init(_ arguments: Arguments) throws(UsageError) {
    store = arguments[operand: 0]
    isJSON = arguments.has("--json")
    projections = arguments.projections
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let views = try EventLog(path: store).views()
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
    for projection in projections { try show(projection, to: &output) }
    return ExitStatus.success
  }

  private func show(_ projection: KnownProjection, to output: inout some ByteOutput) throws {
    let need = try Self.need(projection, in: store)
    if isJSON {
      var line = ReportLine()
      line.add("projection", projection.name)
      line.add("version", UInt64(clamping: projection.version))
      line.add("needsBuild", need.isDue)
      line.add("reason", need.reason)
      return try output.write(line.bytes)
    }
    let text =
      switch need {
      case .none: "up to date"
      case .build(let reason): "to be built, because \(PlainText.line(reason))"
      case .newerProgram(let reason): "not to be built, because \(PlainText.line(reason))"
      }
    try output.writeLine("\(PlainText.line(projection.name)) \(projection.version): \(text)")
  }

  /// What a view needs before a program can read it.
  private enum Need {
    case none
    /// It is to be built when a program opens it.
    case build(because: String)
    /// A newer program has built it.
    case newerProgram(String)

    var isDue: Bool {
      if case .build = self { true } else { false }
    }

    var reason: String? {
      switch self {
      case .none: nil
      case .build(let reason), .newerProgram(let reason): reason
      }
    }
  }

  /// What the view of a projection needs.
  private static func need(_ projection: KnownProjection, in store: String) throws -> Need {
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
      let newer = try EventLog(path: store).views().first {
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
    if let position = view.position {
      line.add("position", position.rawValue)
    } else {
      line.add("position", String?.none)
    }
    line.add("lag", view.lag)
    line.add("bytes", UInt64(clamping: view.bytes))
    line.add("isFolded", view.isFolded)
    return line
  }
}
