import Annals

extension CopyReport {
  /// The report for programs.
  var line: [UInt8] {
    var line = ReportLine()
    line.add("entries", entries)
    line.add("streams", streams)
    line.add("bytes", UInt64(clamping: bytes))
    line.add("generation", generation)
    line.add("incarnation", incarnation)
    return line.bytes
  }

  /// Returns the report for people; `done` describes the finished action.
  func text(_ done: String) -> [UInt8] {
    Array("\(entries) entries in \(streams) streams \(done), \(bytes) bytes, nothing wrong\n".utf8)
  }
}
