import Annals

extension UndeclaredField {
  /// The field for programs.
  var line: ReportLine {
    var line = ReportLine()
    line.add("name", name)
    line.add("type", type)
    line.add("version", version)
    line.add("path", path)
    line.add("count", count)
    line.add("first", firstPosition.rawValue)
    return line
  }
}

extension RemovedField {
  /// The field for programs.
  var line: ReportLine {
    var line = ReportLine()
    line.add("name", name)
    line.add("type", type)
    line.add("version", version)
    line.add("path", path)
    line.add("removedIn", removedIn)
    line.add("count", count)
    line.add("first", firstPosition.rawValue)
    return line
  }
}
