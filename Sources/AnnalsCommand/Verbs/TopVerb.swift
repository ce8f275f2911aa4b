import Annals

/// `top`: shows live numbers of a store in a terminal.
struct TopVerb: Verb {
  static let name = "top"
  static let summary =
    "Shows live numbers of a store: entries and bytes per second, lags of views, readers, map."
  static let synopsis = "<store> [--once] [--interval N]"
  static let help = """

    In a terminal the numbers stay in place and change; q or Ctrl-C ends the display. Elsewhere the numbers
    are written again and again, with an empty line between, until the command is interrupted. Rates are those
    of the last interval.

      --once             writes the numbers once, after one interval
      --interval N       the seconds between two looks; 1 by default
    """
  static let grammar = Arguments.Grammar(flags: ["--once"], values: ["--interval"], operands: ["<store>"])

  let store: StorePath
  let isOnce: Bool
  let isJSON: Bool
  let interval: Int

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    isOnce = arguments.has("--once")
    isJSON = arguments.has("--json")
    interval = try WatchInterval.seconds(arguments, byDefault: 1)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let log = try EventLog(at: store)
    let name = WholeFile(store.url).name
    let pause = WatchPause()
    let interruption = Interruption { pause.end() }
    defer { withExtendedLifetime(interruption) {} }
    var last = try log.pulse()
    if !isOnce, !isJSON, let terminal = try terminal() {
      try show(TopFrame(name: name, pulse: last, rate: nil), on: terminal)
      while try !ends(terminal, pause) {
        let now = try log.pulse()
        try show(TopFrame(name: name, pulse: now, rate: PulseRate(from: last, to: now)), on: terminal)
        last = now
      }
      withExtendedLifetime(terminal) {}
      return ExitStatus.success
    }
    var isFirst = true
    while await pause.wait(seconds: interval) {
      let now = try log.pulse()
      let frame = TopFrame(name: name, pulse: now, rate: PulseRate(from: last, to: now))
      if isJSON {
        try output.write(frame.line.bytes)
      } else {
        if !isFirst { try output.writeLine("") }
        for line in frame.lines() { try output.writeLine(line) }
      }
      try output.flush()
      if isOnce { break }
      (last, isFirst) = (now, false)
    }
    return ExitStatus.success
  }

  private func terminal() throws(OutputError) -> Terminal? {
    do { return try Terminal() } catch { throw .failed(error) }
  }

  private func show(_ frame: TopFrame, on terminal: Terminal) throws(OutputError) {
    let size = terminal.size
    do { try terminal.show(frame.lines(rows: size.rows, columns: size.columns)) } catch {
      throw .failed(error)
    }
  }

  /// Waits for the interval, or for a key or a signal that ends the display.
  private func ends(_ terminal: Terminal, _ pause: WatchPause) throws(OutputError) -> Bool {
    // Short waits, so that a signal that another thread handles ends the display at once.
    for _ in 0..<interval * 10 {
      if pause.isOver { return true }
      do { if try terminal.isEnded(within: 100) { return true } } catch { throw .failed(error) }
    }
    return pause.isOver
  }
}

extension TopFrame {
  /// The numbers for programs.
  var line: ReportLine {
    var line = ReportLine()
    line.add("generation", pulse.generation)
    line.add("entries", pulse.entries)
    line.add("streams", pulse.streams)
    line.add("payloadBytes", pulse.payloadBytes)
    line.add("fileBytes", pulse.fileBytes)
    line.add("freeBytes", pulse.freeBytes)
    line.add("mapBytes", pulse.mapBytes)
    line.add("readers", UInt64(clamping: pulse.readers))
    line.add("oldestReaderLag", pulse.oldestReaderLag)
    if let rate {
      line.add("entriesPerSecond", UInt64(rate.entries.rounded()))
      line.add("bytesPerSecond", UInt64(rate.payloadBytes.rounded()))
    }
    line.add(
      "followers",
      pulse.followers.enumerated().map { index, follower in
        var line = ReportLine()
        line.add("kind", follower.role.rawValue)
        line.add("name", follower.name)
        if let version = follower.version { line.add("version", UInt64(clamping: version)) }
        line.add("position", follower.position)
        line.add("lag", follower.lag)
        if let rate = rate?.followers[index] { line.add("positionsPerSecond", UInt64(rate.rounded())) }
        return line
      })
    return line
  }
}
