import Annals
import AnnalsCluster
import AnnalsTestSupport
import Foundation

@testable import ClusterTool

/// A machine of a cluster in a test: its directory, and its store while it is open.
final class RoomMachine {
  let url: URL
  let log: ClusterLog
  private(set) var cluster: ClusterStore<RoomsPlan>?

  init(_ url: URL, _ log: ClusterLog) {
    self.url = url
    self.log = log
  }

  convenience init(_ directory: TemporaryDirectory, _ name: String, _ log: ClusterLog) {
    self.init(directory.url.appendingPathComponent("\(name).annals"), log)
  }

  /// Opens the store.
  ///
  /// - Parameter deadline: The longest time that an append waits.
  func open(deadline: Duration = .seconds(30)) async throws {
    var options = StoreOptions()
    options.durability = .relaxed
    var membership = ClusterOptions()
    membership.deadline = deadline
    cluster = try await ClusterStore(
      at: url, plan: RoomsPlan.self, log: log, options: options, cluster: membership,
      inline: [RoomBookings.self], warn: { _ in })
  }

  func close() { cluster = nil }

  var member: ClusterStore<RoomsPlan> {
    get throws {
      guard let cluster else { throw CocoaError(.fileNoSuchFile) }
      return cluster
    }
  }

  var store: EventStore<RoomsPlan> { get throws { try member.store } }

  /// Every entry as a line with all of its contents.
  func lines() throws -> [String] { try Self.lines(of: store.log) }

  /// Every entry of a store that may have stopped.
  static func lines(at url: URL) throws -> [String] {
    var options = StoreOptions()
    options.access = .readOnly
    return try lines(of: EventLog(at: url, options: options))
  }

  private static func lines(of log: EventLog) throws -> [String] {
    try log.read { (snapshot) throws(AnnalsError) in
      var lines: [String] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        let fields: [Any] = [
          entry.position, entry.stream, entry.revision, entry.type, entry.version ?? "none",
          entry.time.microseconds, entry.id?.uuidString ?? "none", entry.isEndOfCall, entry.content,
          entry.tags.map(\.text),
        ]
        lines.append(fields.map { "\($0)" }.joined(separator: " "))
      }
      return lines
    }
  }

  /// Whether each room was booked once at most.
  func hasNoRoomTwice() throws -> Bool {
    try store.read { (snapshot) throws(AnnalsError) in
      var rooms: Set<String> = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        if case .booked(let booked) = entry.event, !rooms.insert(booked.room).inserted { return false }
      }
      return true
    }
  }

  /// An event as a judge from outside reads it.
  struct StoredEvent: Codable {
    var position: UInt64
    var stream: String
    var revision: UInt64
    var mark: Int
    /// The room that it books.
    var room: String?
  }

  /// All events, in order.
  func events() throws -> [StoredEvent] {
    try store.read { (snapshot) throws(AnnalsError) in
      var events: [StoredEvent] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        var event = StoredEvent(
          position: entry.position.rawValue, stream: entry.stream.text,
          revision: entry.revision.rawValue, mark: 0)
        switch entry.event {
        case .booked(let booked): (event.mark, event.room) = (booked.mark, booked.room)
        case .noted(let noted): event.mark = noted.mark
        }
        events.append(event)
      }
      return events
    }
  }

  /// The positions of all events, by mark, and what is wrong with marks that are there twice.
  func marks() throws -> (places: [Int: UInt64], doubled: [String]) {
    var places: [Int: UInt64] = [:]
    var doubled: [String] = []
    for event in try events() {
      if let before = places.updateValue(event.position, forKey: event.mark) {
        doubled.append("mark \(event.mark) is at \(before) and \(event.position)")
      }
    }
    return (places, doubled)
  }
}
