import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What people are told of an entry.
struct ExplanationText {
  private let explanation: EntryExplanation

  init(_ explanation: EntryExplanation) {
    self.explanation = explanation
  }

  /// The explanation, line by line.
  ///
  /// - Throws: `AnnalsError` with code `malformed` for a payload that is none.
  func lines() throws(AnnalsError) -> [String] {
    let entry = explanation.entry
    var lines = [
      "position  \(entry.position)", "stream    \(entry.stream), revision \(entry.revision)",
      "time      \(entry.time)",
    ]
    if let id = entry.id { lines.append("id        \(id.uuidString.lowercased())") }
    if !entry.metadata.isEmpty { lines.append("metadata  \(try entry.metadata.json())") }
    lines.append("")
    lines += try stored()
    guard explanation.removal == nil else { return lines }
    lines += try stages()
    if let failure = explanation.failure {
      return lines + ["", "fails: \(failure.code): \(failure.message)"]
    }
    let version = explanation.steps.last?.to ?? explanation.version
    lines += ["", "now, \(Self.name(version))"]
    if explanation.now.isEmpty { lines.append("  nothing: no event of it is delivered") }
    return lines + (try Self.lines(explanation.now))
  }

  private func stored() throws(AnnalsError) -> [String] {
    var lines = ["stored, \(explanation.size) bytes"]
    for kind in explanation.kinds {
      lines.append(
        "  kind \(kind.number): \(kind.type), \(Self.name(kind.version)), \(kind.shape == nil ? "by name" : "by shape")"
      )
      if let shape = kind.shape { lines.append("    \(shape)") }
    }
    switch explanation.entry.content {
    case .payload(let payload): lines.append("  \(explanation.entry.type) \(try payload.json())")
    case .parts(let parts):
      for part in parts { lines.append("  \(part.path) \(part.type) \(try part.payload.json())") }
    case .stub: break
    }
    if let removal = explanation.removal {
      var line = "  not delivered, \(removal.cause)"
      if let from = removal.from, let to = removal.to { line += " by the stage \(from) -> \(to)" }
      lines.append("\(line): \(removal.reason)")
    }
    return lines
  }

  private func stages() throws(AnnalsError) -> [String] {
    var lines: [String] = []
    if let version = explanation.version, explanation.kinds.contains(where: { $0.version != version }),
      explanation.failure == nil || !explanation.steps.isEmpty
    {
      lines += ["", "read at \(version)"] + (try Self.lines(explanation.events))
    }
    for (index, step) in explanation.steps.enumerated() {
      lines += ["", "\(step.from) -> \(step.to)"]
      var told: Set<[UInt8]> = []
      for crossing in step.crossings where told.insert(Array(crossing.fate.name.utf8)).inserted {
        lines += Self.lines(crossing.fate)
      }
      // What is there behind the last stage is what it is now.
      if index + 1 < explanation.steps.count { lines += try Self.lines(step.events) }
    }
    return lines
  }

  /// What took the events of one record across a stage, and what changed in their fields.
  private static func lines(_ fate: PlanCheck.RecordFate) -> [String] {
    let word =
      switch fate.outcome {
      case .carried: "carried"
      case .converted: "read in its new shape"
      case .upcast: "Upcast"
      case .split: "Split"
      case .folded: "Fold"
      case .dropped(let reason): "Drop, \(reason)"
      // A plan in which one of these happens is not compiled.
      case .added, .forgotten, .redeclared: "no way across"
      }
    let name = fate.newName.map { $0 == fate.name ? $0 : "\(fate.name) -> \($0)" } ?? fate.name
    return ["  \(name): \(word)"] + fate.fields.map { "    \($0.line)" }
  }

  private static func lines(_ events: [EntryExplanation.Event]) throws(AnnalsError) -> [String] {
    var lines: [String] = []
    for event in events {
      let place = event.path.isEmpty ? "" : "\(event.path) "
      lines.append("  \(place)\(event.type) \(try event.data.json())")
    }
    return lines
  }

  private static func name(_ version: SchemaVersion?) -> String {
    version.map { "version \($0)" } ?? "no version"
  }
}
