import Annals

/// The explanation of an entry for programs, one object on each line: its stored form, each stage, and its
/// current events or the reason of a failure.
struct ExplanationLines {
  private let explanation: EntryExplanation

  init(_ explanation: EntryExplanation) {
    self.explanation = explanation
  }

  /// Returns the lines. Each has a `step`, which is `stored`, `read`, `stage`, `now` or `failure`.
  ///
  /// - Throws: `AnnalsError` with code `malformed` for a malformed payload.
  func lines() throws(AnnalsError) -> [ReportLine] {
    var lines = [try stored()]
    guard explanation.removal == nil else { return lines }
    if let version = explanation.version, explanation.failure == nil || !explanation.steps.isEmpty {
      var line = Self.line("read")
      line.add("version", version)
      line.add("events", try Self.events(explanation.events.map { ($0.path, $0.type, $0.readable) }))
      lines.append(line)
    }
    for step in explanation.steps {
      var line = Self.line("stage")
      line.add("from", step.from)
      line.add("to", step.to)
      line.add(
        "crossings",
        step.crossings.map { crossing in
          var line = ReportLine()
          line.add("path", crossing.path)
          line.add("type", crossing.fate.name)
          crossing.fate.add(to: &line)
          return line
        })
      line.add("events", try Self.events(step.events.map { ($0.path, $0.type, $0.readable) }))
      lines.append(line)
    }
    if let failure = explanation.failure {
      var line = Self.line("failure")
      line.add("error", "\(failure.code)")
      line.add("message", failure.message)
      return lines + [line]
    }
    var line = Self.line("now")
    line.add("version", explanation.steps.last?.to ?? explanation.version)
    line.add("events", try Self.events(explanation.now.map { ($0.path, $0.type, $0.readable) }))
    return lines + [line]
  }

  private static func line(_ step: String) -> ReportLine {
    var line = ReportLine()
    line.add("step", step)
    return line
  }

  private static func line(_ tag: EntryExplanation.Tag) -> ReportLine {
    var line = ReportLine()
    line.add("tag", tag.tag?.text)
    line.add("ordinal", tag.ordinal)
    line.add("previous", tag.previous)
    return line
  }

  private func stored() throws(AnnalsError) -> ReportLine {
    let entry = explanation.entry
    var line = Self.line("stored")
    line.add("position", entry.position.rawValue)
    line.add("stream", entry.stream.text)
    line.add("revision", entry.revision.rawValue)
    line.add("time", entry.time)
    if let id = entry.id { line.add("id", id) }
    if !entry.metadata.isEmpty { try line.add("metadata", entry.metadata) }
    if !explanation.tags.isEmpty { line.add("tags", explanation.tags.map(Self.line)) }
    switch explanation.retagged {
    case .success(let tags)?: line.add("retagged", tags.map(\.text))
    case .failure(let error)?: line.add("retagging", error.message)
    case nil: break
    }
    line.add("bytes", UInt64(clamping: explanation.size))
    line.add(
      "kinds",
      explanation.kinds.map { kind in
        var line = ReportLine()
        line.add("kind", UInt64(kind.number))
        line.add("type", kind.type)
        line.add("version", kind.version)
        line.add("shape", kind.shape)
        return line
      })
    switch entry.content {
    case .payload(let payload): try line.add("data", explanation.readable(payload, entry.type, entry.version))
    case .parts(let parts):
      line.add(
        "parts",
        try Self.events(
          parts.map { ($0.path, $0.type, explanation.readable($0.payload, $0.type, $0.version)) }))
    case .stub: break
    }
    if let removal = explanation.removal {
      line.add("removed", removal.cause)
      line.add("from", removal.from)
      line.add("to", removal.to)
      line.add("reason", removal.reason)
      if let author = removal.author { line.add("by", author) }
    }
    return line
  }

  private static func events(
    _ events: [(path: [UInt32], type: String, data: Payload)]
  ) throws(AnnalsError) -> [ReportLine] {
    var lines: [ReportLine] = []
    for (path, type, data) in events {
      var line = ReportLine()
      line.add("path", path)
      line.add("type", type)
      try line.add("data", data)
      lines.append(line)
    }
    return lines
  }
}
