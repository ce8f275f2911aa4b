import Annals
import Synchronization

/// `rebuild`: rebuilds a view of the program from the log.
struct RebuildVerb: Verb {
  static let name = "rebuild"
  static let summary = "Rebuilds a view from the log while the old one still serves."
  static let synopsis = "<store> <view> [--json]"
  static let help = """

    The view is one of the projections that the program was given. Programs read the old rows until the new
    ones have caught up. Ctrl-C keeps the finished work, and the next program that opens the view continues it.
    """
  static let grammar = Arguments.Grammar(operands: ["<store>", "<view>"])

  let store: StorePath
  let isJSON: Bool
  let projection: KnownProjection

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isJSON = arguments.has("--json")
    let name = try arguments.text(operand: 1)
    let projections = arguments.projections
    guard let known = projections.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
      let names = projections.map { "'\($0.name)'" }.joined(separator: ", ")
      throw UsageError(
        "there is no projection '\(name)'; the program has \(names.isEmpty ? "none" : names)")
    }
    projection = known
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let begin = ContinuousClock.now
    let look = try projection.rebuild(store)
    let ended = Ended()
    let interruption = Interruption { ended.isOver.store(true, ordering: .releasing) }
    let status = try await finish(look, ended, &progress)
    withExtendedLifetime(interruption) {}
    progress.clear()
    let seconds = begin.duration(to: .now) / .seconds(1)
    if isJSON {
      var line = ReportLine()
      line.add("name", status.name)
      line.add("version", UInt64(clamping: status.version))
      line.add("position", status.position)
      line.add("milliseconds", UInt64(seconds * 1000))
      try output.write(line.bytes)
    } else {
      try output.writeLine(
        "'\(PlainText.line(status.name))', version \(status.version), is built up to position \(status.position.map { "\($0)" } ?? "0")"
      )
    }
    return ExitStatus.success
  }

  /// Whether the command was interrupted.
  private final class Ended: Sendable {
    let isOver = Atomic(false)
  }

  /// Shows the progress of the view until it is built.
  private func finish(
    _ look: @Sendable () throws -> ViewStatus, _ ended: Ended, _ progress: inout ProgressLine
  ) async throws -> ViewStatus {
    while !ended.isOver.load(ordering: .acquiring) {
      let status = try look()
      if case .stopped(let error) = status.state { throw error }
      guard case .building = status.state else { return status }
      if let now = status.progress { progress.update(Self.text(now)) }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw AnnalsError(
      .cancelled, "the view '\(projection.name)' is not finished; the next program that opens it continues")
  }

  private static func text(_ progress: ViewStatus.Progress) -> String {
    var text = "building \(progress.done) of \(progress.total)"
    if let rate = progress.rate, rate >= 1 { text += ", \(Int(rate))/s" }
    if let remaining = progress.remaining {
      text += ", \(PassWatch.duration(remaining / .seconds(1))) left"
    }
    return text
  }
}
