import Annals
import FaultPrograms
import Foundation

/// Everything that a store records about its log: the entries, and the data about streams and types.
struct StoreContent {
  /// An entry.
  struct Entry: Equatable {
    var position: UInt64
    var stream: String
    var revision: UInt64
    var type: String
    var id: UUID?
    var isEndOfCall: Bool
    var payload: Payload?
  }

  var entries: [Entry] = []
  /// The last revision, the first and the last position of each stream, as its head says.
  var heads: [String: [UInt64]] = [:]
  /// The number of events of each type, according to the census.
  var census: [String: UInt64] = [:]

  /// Reads the store at `url`.
  init(_ url: URL) throws {
    let log = try EventLog(at: url, options: StoreOptions(access: .readOnly, creation: .never))
    try log.read { (snapshot) throws(AnnalsError) in
      var cursor = try snapshot.entries()
      while let entry = try cursor.next() {
        var payload: Payload?
        if case .payload(let stored) = entry.content { payload = stored }
        entries.append(
          Entry(
            position: entry.position.rawValue, stream: entry.stream.text, revision: entry.revision.rawValue,
            type: entry.type, id: entry.id, isEndOfCall: entry.isEndOfCall, payload: payload))
      }
      var list = try snapshot.streams()
      while let stream = try list.next() {
        heads[stream.name.text] = [
          stream.revision.rawValue, stream.first.rawValue, stream.last.rawValue,
        ]
      }
      for line in try snapshot.census() { census[line.type, default: 0] += line.count }
    }
  }

  /// The contradictions within it: gaps, and revisions, heads and census that do not fit the entries.
  func contradictions() -> [String] {
    var problems: [String] = []
    var counted: [String: [UInt64]] = [:]
    var types: [String: UInt64] = [:]
    for (index, entry) in entries.enumerated() {
      if entry.position != UInt64(index + 1) { problems.append("position \(entry.position) at \(index + 1)") }
      let revision = counted[entry.stream].map { $0[0] + 1 } ?? 0
      if entry.revision != revision {
        problems.append("\(entry.stream): revision \(entry.revision) in place of \(revision)")
      }
      counted[entry.stream] = [revision, counted[entry.stream]?[1] ?? entry.position, entry.position]
      types[entry.type, default: 0] += 1
    }
    if counted != heads { problems.append("the heads of streams are not what the entries add up to") }
    if types != census { problems.append("the census is not what the entries add up to") }
    return problems
  }

  /// The call that stored each revision of each stream.
  func calls(_ placed: [[Int]: Int], _ calls: [[Int]: History.Call]) -> [String: [UInt64: History.Call]] {
    var result: [String: [UInt64: History.Call]] = [:]
    for (key, index) in placed {
      guard let call = calls[key] else { continue }
      for entry in entries[index..<min(index + call.call.streams.count, entries.count)] {
        result[entry.stream, default: [:]][entry.revision] = call
      }
    }
    return result
  }
}
