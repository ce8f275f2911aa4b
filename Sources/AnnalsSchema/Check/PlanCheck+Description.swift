internal import AnnalsCoding

extension PlanCheck: CustomStringConvertible {
  /// The report: each stage with its records and their fields, then the findings.
  public var description: String {
    var lines = ["\(plan): \(versions.map(\.description).joined(separator: ", "))"]
    for stage in stages { lines += [""] + stage.lines }
    if !stages.isEmpty { lines += [""] + readerLines }
    lines += [""]
    if findings.isEmpty { lines.append("nothing found") }
    lines += findings.map(\.description)
    return lines.joined(separator: "\n")
  }
}

extension PlanCheck.Stage: CustomStringConvertible {
  /// The stage with its records and their fields.
  public var description: String { lines.joined(separator: "\n") }

  /// The report's lines.
  fileprivate var lines: [String] {
    var heading = "\(fromName) \(from) -> \(toName) \(to): \(isLightweight ? "lightweight" : "custom")"
    heading += ", scope \(scope.rawValue)"
    if hasContext { heading += ", with a context: it activates at one position" }
    if scope == .store {
      heading += ", moves streams: a store with older events needs a migration pass first"
    }
    if bridge != nil { heading += ", to a bridge" }
    return [heading] + records.flatMap { record in record.lines.map { "  \($0)" } }
      + retags.map { "  a pass computes tags of \($0.name) again: \($0.tags.joined(separator: ", "))" }
      + (bridge ?? []).map { record in
        let lost = record.losing.isEmpty ? "" : ", and loses \(record.losing.joined(separator: ", "))"
        return "  for programs of \(from): \(record.name) \(record.form.words)\(lost)"
      }
  }
}

extension PlanCheck.Stage.BridgedRecord.Form {
  /// The form in a sentence.
  fileprivate var words: String {
    switch self {
    case .readable: "is read as it is"
    case .lowered: "is stored as their record, by the stage turned around"
    case .downcast: "is stored as its Downcast says"
    case .later: "waits until the bridge is active, or all of them pass over newer types"
    case .impossible: "reaches none of them: write a Downcast"
    }
  }
}

extension PlanCheck.RecordFate: CustomStringConvertible {
  /// The record with its fields.
  public var description: String { lines.joined(separator: "\n") }

  /// The report's lines.
  fileprivate var lines: [String] {
    var heading: String
    switch outcome {
    case .added: heading = "+ \(name)"
    case .forgotten, .dropped, .retained: heading = "- \(name)"
    case .carried: heading = "= \(name)"
    default: heading = "~ \(name)"
    }
    if let newName, newName != name { heading += " -> \(newName)" }
    let readings = "(\(changeClass.rawValue); new reads old: \(newReadsOld); old reads new: \(oldReadsNew))"
    switch outcome {
    case _ where newName != nil && newName != name: heading += "  under another name  \(readings)"
    case .carried: heading += "  carried unchanged"
    case .converted: heading += fields.isEmpty ? "  read as it is" : "  read in its new shape"
    case .upcast(let names): heading += "  Upcast to \(Self.list(names))  \(readings)"
    case .kept(let name, let fields):
      heading += "  Keep as \(name), changing \(Self.list(fields))  \(readings)"
    case .split(let names): heading += "  Split into \(Self.list(names))  \(readings)"
    case .folded(let names): heading += "  Fold into \(Self.list(names))  \(readings)"
    case .dropped(let reason): heading += "  Drop, \(reason)  \(readings)"
    case .retained: heading += "  Retain, stays in the log as it is stored  \(readings)"
    case .added: heading += "  new  \(readings)"
    case .forgotten: heading += "  forgotten  \(readings)"
    case .redeclared: heading += "  declared again without a rule  \(readings)"
    }
    var lines = [heading] + fields.map { "    \($0)" }
    if !fields.isEmpty, !unchanged.isEmpty { lines.append("    = \(unchanged.joined(separator: ", "))") }
    return lines
  }

  private static func list(_ names: [String]) -> String {
    names.isEmpty ? "any record" : names.joined(separator: ", ")
  }
}

extension PlanCheck.FieldChange: CustomStringConvertible {
  /// The line of the diff, the class, and what newer and older programs read.
  public var description: String {
    let old = newReadsOld == "nil" ? "nil in older events" : "new reads old: \(newReadsOld)"
    return "\(line)  (\(changeClass.rawValue); \(old); old reads new: \(oldReadsNew))"
  }
}
