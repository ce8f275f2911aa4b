import Annals
import AnnalsTestSupport
import Foundation

extension EventLog {
  /// All entries.
  func everything() throws -> [LogEntry] {
    try read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries()
      var list: [LogEntry] = []
      while let entry = try entries.next() { list.append(entry) }
      return list
    }
  }
}

extension LogEntry {
  /// The value of a field.
  subscript(field: String) -> CBOR? {
    guard case .payload(let payload) = content else { return nil }
    return try? payload.value[field]
  }
}
