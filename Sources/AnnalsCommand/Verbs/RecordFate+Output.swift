import Annals

extension PlanCheck.RecordFate {
  /// Adds the changes to the record: the outcome, its class, and each change of a field.
  func add(to line: inout ReportLine) {
    switch outcome {
    case .carried: line.add("outcome", "carried")
    case .converted: line.add("outcome", "converted")
    case .upcast(let names):
      line.add("outcome", "upcast")
      line.add("into", names)
    case .kept(let name, let fields):
      line.add("outcome", "kept")
      line.add("into", [name])
      line.add("changing", fields)
    case .split(let names):
      line.add("outcome", "split")
      line.add("into", names)
    case .folded(let names):
      line.add("outcome", "folded")
      line.add("into", names)
    case .dropped(let reason):
      line.add("outcome", "dropped")
      line.add("reason", reason)
    case .retained: line.add("outcome", "retained")
    case .added: line.add("outcome", "added")
    case .forgotten: line.add("outcome", "forgotten")
    case .redeclared: line.add("outcome", "redeclared")
    }
    if let newName { line.add("becomes", newName) }
    line.add("class", changeClass.rawValue)
    line.add(
      "fields",
      fields.map { field in
        var line = ReportLine()
        line.add("field", field.field)
        line.add("change", field.line)
        line.add("class", field.changeClass.rawValue)
        line.add("newReadsOld", field.newReadsOld)
        line.add("oldReadsNew", field.oldReadsNew)
        return line
      })
  }
}
