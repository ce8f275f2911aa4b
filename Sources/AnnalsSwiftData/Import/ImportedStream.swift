internal import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What earlier imports have stored in the stream of a row.
///
/// The log itself shows the imported rows, so an import has no state of its own that could disagree with it.
struct ImportedStream: Equatable {
  /// The newest imported event of a stream.
  struct Event: Equatable {
    /// The hash of the row's values after the event; `nil` if they are not known.
    let digest: [UInt8]?
    /// The number of the last change of the history that the event or an earlier one reflects.
    let change: Int64
    let isDeletion: Bool
  }

  /// The content of a stream, as far as an import needs it.
  enum Content: Equatable {
    /// The stream has no entry.
    case nothing
    /// The newest event that was imported from this file.
    case imported(Event)
    /// The stream has events of another file.
    case foreign(String)
    /// The stream has only events that no import has stored, or imported ones were erased or dropped.
    case other
  }

  /// The imported events of which a migration pass has left stubs. A stub has the event's id and type, but
  /// not its metadata. One of an erased event has no id.
  struct Stubs: Equatable {
    /// Their ids.
    fileprivate(set) var ids: Set<UUID> = []
    /// The id of the newest one.
    let id: UUID
    /// Its type.
    let type: String
    /// The revision before it; `nil` if it is the first entry of the stream.
    let before: Revision?
  }

  /// The revision of the newest entry, imported or not.
  let revision: Revision?
  let content: Content
  /// The stubs after the newest imported event; `nil` if there are none.
  var stubs: Stubs?

  /// Reads the stream of a row.
  ///
  /// - Parameters:
  ///   - stream: The stream.
  ///   - store: The id of the file.
  ///   - deletions: The types of deletions.
  /// - Complexity: O(entries after the newest imported one: stubs, and what the app has appended).
  static func read(
    _ stream: StreamName, of store: UUID, deletions: Set<String>, in log: EventLog
  ) throws(AnnalsError) -> ImportedStream {
    try log.read { snapshot throws(AnnalsError) in
      guard let revision = try snapshot.revision(of: stream) else {
        return ImportedStream(revision: nil, content: .nothing)
      }
      var stubs: Stubs?
      var entries = try snapshot.entries(in: stream, backwards: true)
      while let entry = try entries.next() {
        if case .stub = entry.content, let id = entry.id, EventMark.isMark(id) {
          let before = entry.revision.rawValue
          stubs = stubs ?? Stubs(id: id, type: entry.type, before: before > 0 ? Revision(before - 1) : nil)
          stubs?.ids.insert(id)
        }
        guard let source = entry.metadata[ImportMark.key], let text = source[ImportMark.store]?.text else {
          continue
        }
        guard text == store.uuidString else {
          return ImportedStream(revision: revision, content: .foreign(text))
        }
        var event = ImportMark.event(source)
        if let stubs { event = event.followed(byDeletion: deletions.contains(stubs.type)) }
        return ImportedStream(revision: revision, content: .imported(event), stubs: stubs)
      }
      return ImportedStream(revision: revision, content: .other, stubs: stubs)
    }
  }
}

extension ImportedStream.Event {
  /// The event, if events come after it whose values are not known any more.
  fileprivate func followed(byDeletion isDeletion: Bool) -> ImportedStream.Event {
    ImportedStream.Event(digest: nil, change: change, isDeletion: isDeletion)
  }
}

/// The member of an event's metadata that says where the event comes from.
enum ImportMark {
  static let key = "swiftdata"
  static let store = "store"
  /// Whether values are unknown that the history does not have.
  static let incomplete = "incomplete"
  /// The fields whose values are unknown.
  static let unknown = "unknown"

  /// Reads the member.
  static func event(_ source: CBOR) -> ImportedStream.Event {
    var digest: [UInt8]?
    if case .bytes(let bytes)? = source["digest"] { digest = bytes }
    let change = max(source["change"]?.integer ?? 0, source["after"]?.integer ?? 0)
    return ImportedStream.Event(
      digest: digest, change: Int64(change), isDeletion: source["deleted"] == .bool(true))
  }
}
