import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension CopyReport {
  /// The report for programs.
  var line: [UInt8] {
    var line = ReportLine()
    line.add("entries", entries)
    line.add("streams", streams)
    line.add("bytes", UInt64(clamping: bytes))
    line.add("generation", generation)
    line.add("incarnation", incarnation)
    line.add("backup", backup.map { $0.uuidString.lowercased() })
    line.add("unrecorded", unrecorded)
    return line.bytes
  }

  /// Returns the report for people; `done` describes the finished action.
  func text(_ done: String) -> [UInt8] {
    var text = "\(entries) entries in \(streams) streams \(done), \(bytes) bytes, nothing wrong\n"
    if let unrecorded { text += "not recorded in the store: \(PlainText.line(unrecorded))\n" }
    return Array(text.utf8)
  }
}
