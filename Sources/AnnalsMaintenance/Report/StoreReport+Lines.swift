internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsProjections
internal import AnnalsSubscriptions
internal import AnnalsVerify

extension StoreReport {
  /// The report for programs: a line of JSON for each row, whose `section` says what the row is about.
  package var lines: [ReportLine] {
    [store] + versions + series + sections(.position) + sections(.time) + streamLines + followers
      + letterLines
      + programLines + findings + chainLines
  }

  private static func line(_ section: String) -> ReportLine {
    var line = ReportLine()
    line.add("section", section)
    return line
  }

  private var store: ReportLine {
    var line = Self.line("store")
    line.add("name", name)
    line.add("time", time)
    line.add("log", info.id)
    line.add("generation", info.generation)
    if let predecessor = info.predecessor { line.add("predecessor", predecessor.generation) }
    if let pass = info.pass { line.add("building", pass.generation) }
    line.add("entries", info.entries)
    line.add("streams", info.streams)
    line.add("sampled", UInt64(sample.entries.count))
    if let problem = sample.problem { line.add("problem", problem) }
    line.add("payloadBytes", pulse.payloadBytes)
    line.add("fileBytes", pulse.fileBytes)
    line.add("usedBytes", pulse.usedBytes)
    line.add("freeBytes", pulse.freeBytes)
    line.add("mapBytes", pulse.mapBytes)
    line.add("readers", UInt64(clamping: pulse.readers))
    line.add("oldestReaderLag", pulse.oldestReaderLag)
    if let rate { line.add("entriesPerSecond", UInt64(rate.entries.rounded())) }
    if let outlook {
      line.add("current", outlook.check.current)
      line.add("opens", outlook.check.opens)
      line.add("oldestNeeded", outlook.check.raisable)
    }
    return line
  }

  private var versions: [ReportLine] {
    info.schemas.map { schema in
      var line = Self.line("version")
      line.add("version", schema.version)
      line.add("events", schema.count)
      return line
    }
  }

  private var series: [ReportLine] {
    info.census.map { census in
      var line = Self.line("type")
      line.add("type", census.type)
      line.add("version", census.version)
      line.add("events", census.count)
      line.add("bytes", census.bytes)
      line.add("stubs", census.stubs)
      line.add("quarantined", census.quarantined)
      line.add("first", census.first.rawValue)
      return line
    }
  }

  private func sections(_ axis: EntryDistribution.Axis) -> [ReportLine] {
    EntryDistribution(of: sample, over: axis, sections: Self.sectionCount).sections.enumerated().map {
      index, section in
      var line = Self.line(axis.rawValue)
      line.add("index", UInt64(index))
      line.add("events", UInt64(section.entries.reduce(0, +).rounded()))
      line.add("bytes", UInt64(section.bytes.reduce(0, +).rounded()))
      return line
    }
  }

  /// The number of sections of each axis.
  package static let sectionCount = 48

  private var streamLines: [ReportLine] {
    streams.lines.map { stream in
      var line = Self.line("stream")
      line.add("stream", stream.name)
      line.add("entries", stream.entries)
      if let bytes = stream.bytes { line.add("bytes", bytes) }
      line.add("first", stream.first)
      line.add("last", stream.last)
      return line
    }
  }

  private var followers: [ReportLine] {
    pulse.followers.enumerated().map { index, follower in
      var line = Self.line(follower.role.rawValue)
      line.add("name", follower.name)
      if let version = follower.version { line.add("version", UInt64(clamping: version)) }
      if let state = follower.state { line.add("state", state) }
      line.add("position", follower.position)
      line.add("lag", follower.lag)
      if let rows = follower.rows { line.add("rows", UInt64(clamping: rows)) }
      if follower.role == .consumer { line.add("deadLetters", UInt64(clamping: follower.deadLetters)) }
      if let rate = rate?.followers[index] { line.add("positionsPerSecond", UInt64(rate.rounded())) }
      return line
    }
  }

  private var letterLines: [ReportLine] {
    letters.flatMap { letters in
      letters.letters.map { letter in
        var line = Self.line("deadLetter")
        line.add("consumer", letters.consumer)
        line.add("position", letter.position.rawValue)
        line.add("stream", letter.stream.text)
        line.add("reason", letter.reason)
        line.add("attempts", UInt64(clamping: letter.attempts))
        return line
      }
    }
  }

  private var programLines: [ReportLine] {
    programs.map { program in
      var line = Self.line("program")
      line.add("process", program.process.map { "\($0)" })
      line.add("version", program.version)
      line.add("skipsNewerTypes", program.skipsNewerTypes)
      return line
    }
  }

  private var findings: [ReportLine] {
    guard let verification else { return [] }
    var line = Self.line("verification")
    line.add("time", verification.time)
    line.add("findings", UInt64(clamping: verification.report.count))
    line.add("isComplete", verification.report.isComplete)
    return [line]
      + verification.report.findings.map { finding in
        var line = Self.line("finding")
        line.add("place", finding.place)
        line.add("problem", finding.problem)
        line.add("repair", finding.repair.rawValue)
        return line
      }
  }

  private var chainLines: [ReportLine] {
    chains.flatMap { chain in
      chain.columns.map { column in
        var line = Self.line("entry")
        line.add("position", chain.position)
        line.add("stage", column.title)
        line.add("notes", column.notes)
        line.add("events", column.events.map(Self.line))
        if let failure = chain.failure { line.add("failure", failure) }
        return line
      }
    }
  }

  private static func line(_ event: EntryChain.Event) -> ReportLine {
    var line = ReportLine()
    line.add("path", event.path)
    line.add("type", event.type)
    line.add(
      "fields",
      event.fields.map { field in
        var line = ReportLine()
        line.add("name", field.name)
        line.add("json", field.value)
        line.add("change", field.change.rawValue)
        return line
      })
    return line
  }
}
