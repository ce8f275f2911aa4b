import Annals

/// Watches a migration pass until it ends, and reports the result.
struct PassWatch {
  let run: MigrationRun
  let isJSON: Bool

  /// Waits for the end of the pass. An interruption stops it at the next batch, and finished work is kept.
  func finish(
    to output: inout some ByteOutput, _ progress: inout ProgressLine
  ) async throws -> Int32 {
    let run = run
    let interruption = Interruption { run.stop() }
    for await now in run.progress { progress.update(Self.text(now)) }
    let report = try await run.report()
    withExtendedLifetime(interruption) {}
    progress.clear()
    if isJSON { try output.write(Self.line(report).bytes) } else { try output.writeLine(Self.text(report)) }
    return ExitStatus.success
  }

  /// Returns the progress as text, with a bar.
  static func text(_ progress: MigrationProgress) -> String {
    let part = progress.total > 0 ? Double(progress.done) / Double(progress.total) : 0
    let filled = Int((min(max(part, 0), 1) * 20).rounded(.down))
    var text =
      "\(progress.phase.rawValue) [\(String(repeating: "#", count: filled))\(String(repeating: ".", count: 20 - filled))]"
    text += " \(progress.done) of \(progress.total)"
    if progress.rate >= 1 { text += ", \(Int(progress.rate))/s" }
    if let remaining = progress.remaining, remaining.isFinite, progress.done < progress.total {
      text += ", \(duration(remaining)) left"
    }
    if let pause = progress.pause {
      text +=
        pause == .rate ? ", at the rate asked for" : pause == .asked ? ", paused" : ", while others write"
    }
    return text
  }

  static func duration(_ seconds: Double) -> String {
    let seconds = Int(min(seconds.rounded(.up), 359_999))
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
    return "\(seconds / 3600) h \(seconds / 60 % 60) min"
  }

  private static func text(_ report: MigrationReport) -> String {
    var lines: [String] = []
    // A rehearsal of a pass that has anything to do estimates the new file.
    let isRehearsed = report.isRehearsal && report.bytesAfter > 0
    if isRehearsed {
      lines.append("\(report.entries) entries can be migrated; nothing was changed")
    } else if report.isDone {
      lines.append(
        "generation \(report.generation) is in use: \(report.entries) entries, \(report.bytesAfter) bytes (\(report.bytesBefore) before)"
      )
    } else {
      lines.append("nothing to do: none of the \(report.entries) entries has to be rewritten")
    }
    if report.resumedAt > 0 { lines.append("continued after position \(report.resumedAt)") }
    if report.rewritten > 0 || report.isDone || isRehearsed {
      lines.append("rewritten    \(report.rewritten)")
      lines.append("split        \(report.split)")
      if report.retagged > 0 { lines.append("retagged     \(report.retagged)") }
      if report.folded > 0 { lines.append("folded       \(report.folded)") }
      if report.moved > 0 { lines.append("moved        \(report.moved)") }
      for dropped in report.dropped {
        lines.append(
          "dropped      \(dropped.count) '\(PlainText.line(dropped.type))': \(PlainText.line(dropped.reason))"
        )
      }
    }
    lines += report.retained.map { retained in
      let version = retained.version.map { "version \($0)" } ?? "no version"
      return
        "retained     \(retained.count) '\(PlainText.line(retained.type))' of \(version), as they are stored"
    }
    lines += report.removedFields.map { "removed      field \(PlainText.line($0.description))" }
    if report.quarantined > 0 { lines.append("quarantined  \(report.quarantined)") }
    if report.isDone {
      lines.append(
        "took \(hundredths(report.seconds)) s; writers waited \(hundredths(report.secondsLocked * 1000)) ms for the switch"
      )
      lines.append("digest       \(report.digest)")
      lines.append(
        report.isHeld
          ? "held: 'accept' lets the store take appends, 'rollback' goes back to generation \(report.predecessor)"
          : "generation \(report.predecessor) is kept: 'rollback' goes back to it until something is appended, 'discard-previous' removes it"
      )
    }
    return lines.joined(separator: "\n")
  }

  private static func hundredths(_ number: Double) -> String {
    let rounded = Int((number * 100).rounded())
    let rest = rounded % 100
    return "\(rounded / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  private static func line(_ report: MigrationReport) -> ReportLine {
    var line = ReportLine()
    line.add("isDone", report.isDone)
    line.add("isRehearsal", report.isRehearsal)
    line.add("generation", report.generation)
    line.add("predecessor", report.predecessor)
    line.add("entries", report.entries)
    line.add("resumedAt", report.resumedAt)
    line.add("rewritten", report.rewritten)
    line.add("split", report.split)
    line.add("folded", report.folded)
    line.add("retagged", report.retagged)
    line.add("moved", report.moved)
    line.add(
      "dropped",
      report.dropped.map { dropped in
        var line = ReportLine()
        line.add("type", dropped.type)
        line.add("reason", dropped.reason)
        line.add("count", dropped.count)
        return line
      })
    line.add(
      "retained",
      report.retained.map { retained in
        var line = ReportLine()
        line.add("type", retained.type)
        line.add("version", retained.version)
        line.add("count", retained.count)
        return line
      })
    line.add("removedFields", report.removedFields.map(\.line))
    line.add("quarantined", report.quarantined)
    line.add("bytesBefore", report.bytesBefore)
    line.add("bytesAfter", report.bytesAfter)
    line.add("milliseconds", UInt64(report.seconds * 1000))
    line.add("microsecondsLocked", UInt64(report.secondsLocked * 1_000_000))
    line.add("digest", report.digest)
    line.add("isHeld", report.isHeld)
    return line
  }
}
