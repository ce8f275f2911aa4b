internal import AnnalsCoding
internal import AnnalsLog

extension ContractReport: CustomStringConvertible {
  /// The report as text: the obstacles, the permanent losses, and the changes.
  public var description: String {
    func name(_ type: String, _ version: SchemaVersion?) -> String {
      "'\(type)' of \(version.map { "version \($0)" } ?? "no version")"
    }
    var lines = ["version \(version) was \(phase.words)"]
    lines += older.map { "left         \($0.count) \(name($0.type, $0.version)): run 'migrate'" }
    if quarantined > 0 { lines.append("set aside    \(quarantined)") }
    lines += olderPrograms.map { "older        \($0)" }
    lines += dropped.map { "dropped      \($0.count) \(name($0.type, $0.version))" }
    lines += retained.map { "retained     \($0.count) \(name($0.type, $0.version)), as they are stored" }
    lines += removedFields.map {
      "removed      field '\($0.field)' of \(name($0.type, $0.version))"
    }
    lines += convertedFields.map {
      "by a rule    field '\($0.field)' of \(name($0.type, $0.version))"
    }
    lines += contexts.map { "worked out   for the stage to \($0)" }
    if isContracted {
      lines.append("versions below \(version) are given up")
    } else {
      lines.append(
        hasLosses
          ? "nothing was changed; --confirm \(droppedEntries) confirms what is lost for good"
          : "nothing was changed")
    }
    return lines.joined(separator: "\n")
  }
}
