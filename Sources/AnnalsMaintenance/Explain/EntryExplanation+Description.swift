package import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension EntryExplanation: CustomStringConvertible {
  /// The explanation as text: the stored entry, the result of each stage, and the current events.
  ///
  /// Dates are ISO 8601 texts and UUIDs are texts, if the record has a shape.
  public var description: String { lines.joined(separator: "\n") }

  /// The description, line by line. Names may hold line ends of their own.
  package var lines: [String] {
    var lines = [
      "position  \(entry.position)", "stream    \(entry.stream), revision \(entry.revision)",
      "time      \(entry.time)",
    ]
    if let id = entry.id { lines.append("id        \(id.uuidString.lowercased())") }
    if !entry.metadata.isEmpty {
      do throws(AnnalsError) { lines.append("metadata  \(try entry.metadata.json())") } catch {
        lines.append("metadata  \(error.message)")
      }
    }
    for tag in tags { lines.append("tag       \(tag)") }
    if let retagged { lines.append("a pass    \(words(for: retagged))") }
    lines.append("")
    lines += stored()
    guard removal == nil else { return lines }
    lines += stages()
    if let failure { return lines + ["", "fails: \(failure.code): \(failure.message)"] }
    lines += ["", "now, \(Self.name(steps.last?.to ?? version))"]
    if now.isEmpty { lines.append("  nothing: no event of it is delivered") }
    return lines + Self.lines(now)
  }

  /// What a migration pass would do to the tags of the entry.
  private func words(for retagged: Result<[EventTag], AnnalsError>) -> String {
    switch retagged {
    case .failure(let error): "stops at its tags: \(error.code): \(error.message)"
    case .success(let new) where new == tags.compactMap(\.tag): "computes its tags again, and they stay"
    case .success([]): "takes its tags away"
    case .success(let new): "gives it the tags \(new.map(\.text).joined(separator: ", "))"
    }
  }

  /// Returns the stored fields of `type` under `version`.
  private func fields(of type: String, _ version: SchemaVersion?) -> [FieldShape]? {
    kinds.first { ExactText($0.type) == ExactText(type) && $0.version == version }?.fields
  }

  /// Returns a stored payload for people, as ``Event/readable``.
  package func readable(_ payload: Payload, _ type: String, _ version: SchemaVersion?) -> Payload {
    payload.readable(as: fields(of: type, version))
  }

  /// Returns a payload as JSON, or the problem of an invalid one.
  private static func json(_ payload: Payload) -> String {
    do throws(AnnalsError) { return try payload.json() } catch { return error.message }
  }

  private func stored() -> [String] {
    var lines = ["stored, \(size) bytes"]
    for kind in kinds {
      lines.append(
        "  kind \(kind.number): \(kind.type), \(Self.name(kind.version)), \(kind.shape == nil ? "by name" : "by shape")"
      )
      if let shape = kind.shape { lines.append("    \(shape)") }
    }
    switch entry.content {
    case .payload(let payload):
      lines.append("  \(entry.type) \(Self.json(readable(payload, entry.type, entry.version)))")
    case .parts(let parts):
      for part in parts {
        let payload = readable(part.payload, part.type, part.version)
        lines.append("  \(part.path) \(part.type) \(Self.json(payload))")
      }
    case .stub: break
    }
    if let removal {
      var line = "  not delivered, \(removal.cause)"
      if let from = removal.from, let to = removal.to { line += " by the stage \(from) -> \(to)" }
      if let author = removal.author {
        line = "  a change of the log" + (author.isEmpty ? "" : " by \(author)")
      }
      lines.append("\(line): \(removal.reason)")
    }
    return lines
  }

  private func stages() -> [String] {
    var lines: [String] = []
    if let version, kinds.contains(where: { $0.version != version }),
      failure == nil || !steps.isEmpty
    {
      lines += ["", "read at \(version)"] + Self.lines(events)
    }
    for (index, step) in steps.enumerated() {
      lines += ["", "\(step.from) -> \(step.to)"]
      var reported: Set<[UInt8]> = []
      for crossing in step.crossings where reported.insert(Array(crossing.fate.name.utf8)).inserted {
        lines += Self.lines(crossing.fate)
      }
      // The events after the last stage are the current ones.
      if index + 1 < steps.count { lines += Self.lines(step.events) }
    }
    return lines
  }

  /// Describes how the events of one record cross a stage, and the changes in their fields.
  private static func lines(_ fate: PlanCheck.RecordFate) -> [String] {
    ["  \(text(fate))"] + fate.fields.map { "    \($0.line)" }
  }

  /// Describes how the events of one record cross a stage, in one line.
  static func text(_ fate: PlanCheck.RecordFate) -> String {
    let word =
      switch fate.outcome {
      case .carried: "carried"
      case .converted: "read in its new shape"
      case .upcast: "Upcast"
      case .kept(_, let fields): "Keep, changing \(fields.joined(separator: ", "))"
      case .split: "Split"
      case .folded: "Fold"
      case .dropped(let reason): "Drop, \(reason)"
      case .retained: "Retain, stays in the log as it is stored"
      // A plan with one of these does not compile.
      case .added, .forgotten, .redeclared: "no way across"
      }
    let name = fate.newName.map { $0 == fate.name ? $0 : "\(fate.name) -> \($0)" } ?? fate.name
    return "\(name): \(word)"
  }

  private static func lines(_ events: [EntryExplanation.Event]) -> [String] {
    var lines: [String] = []
    for event in events {
      let place = event.path.isEmpty ? "" : "\(event.path) "
      lines.append("  \(place)\(event.type) \(json(event.readable))")
    }
    return lines
  }

  private static func name(_ version: SchemaVersion?) -> String {
    version.map { "version \($0)" } ?? "no version"
  }
}
