import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The place of an entry or an event, with its other coordinates.
struct Place: Equatable {
  let position: Position
  let stream: StreamName
  let revision: Revision
  let path: [UInt32]
  let id: UUID?
  let time: Timestamp

  /// Checks that events have the places of their entries, in the order of the log, and that parts have rising
  /// paths.
  static func check(_ events: [Place], against stored: [Position: Place]) throws(LawFailure) {
    var last: Place?
    for event in events {
      guard let entry = stored[event.position] else {
        throw LawFailure("an event stands at \(event), where the log has no entry")
      }
      guard entry.stream == event.stream, entry.revision == event.revision, entry.id == event.id,
        entry.time == event.time
      else {
        throw LawFailure(
          "the event at \(event) does not stand where its entry does, or not with its id and time")
      }
      if let last {
        let isPart = last.position == event.position
        // An empty path sorts before any other, but an event with one is no part.
        let rises =
          isPart
          ? !last.path.isEmpty && last.path.lexicographicallyPrecedes(event.path)
          : last.position < event.position
        guard rises else { throw LawFailure("an event at \(event) comes after one at \(last)") }
      }
      last = event
    }
  }
}

extension Place: CustomStringConvertible {
  /// Position, stream, revision and path.
  var description: String { "position \(position), stream '\(stream)', revision \(revision), path \(path)" }
}

extension Place {
  /// Creates the place of a stored entry.
  init(_ entry: LogEntry) {
    self.init(
      position: entry.position, stream: entry.stream, revision: entry.revision, path: [], id: entry.id,
      time: entry.time)
  }

  /// Returns the places of all remaining events.
  static func all<Event>(_ entries: inout StoreEntries<Event>) throws(AnnalsError) -> [Place] {
    var all: [Place] = []
    while let entry = try entries.next() {
      all.append(
        Place(
          position: entry.position, stream: entry.stream, revision: entry.revision, path: entry.path,
          id: entry.id, time: entry.timestamp))
    }
    return all
  }
}
