import Annals
import AnnalsCluster
import AnnalsTestSupport
import Foundation

@Schema(1, 0, 0) enum RoomsV1 {
  @Record struct Booked {
    @Field(tag: "room") var room: String
    var mark: Int
  }
  @Record struct Noted { var mark: Int }
}

enum RoomsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<RoomsV1, RoomsV1> {}
}

/// No room is booked twice.
enum RoomBookings: InlineProjection {
  typealias Event = RoomsV1.Event
  @Record struct Row: ProjectionRow {
    var room: String
    var mark: Int
    var key: String { room }
  }

  static let name = "bookings"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .booked(let booked) = entry.event else { return }
    if try rows.get(Row.self, booked.room) != nil { throw Rejection("the room is taken") }
    try rows.put(Row(room: booked.room, mark: booked.mark))
  }
}

/// A machine of a cluster in a test: its directory, and its store while it is open.
final class RoomMachine {
  let url: URL
  let log: ClusterLog
  private(set) var cluster: ClusterStore<RoomsPlan>?

  init(_ directory: TemporaryDirectory, _ name: String, _ log: ClusterLog) {
    url = directory.url.appendingPathComponent("\(name).annals")
    self.log = log
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
  func lines() throws -> [String] {
    try store.log.read { (snapshot) throws(AnnalsError) in
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

  /// The positions of all events, by mark; `nil` for a mark that is there twice.
  func places() throws -> [Int: UInt64]? {
    try store.read { (snapshot) throws(AnnalsError) in
      var places: [Int: UInt64] = [:]
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        let mark =
          switch entry.event {
          case .booked(let booked): booked.mark
          case .noted(let noted): noted.mark
          }
        guard places.updateValue(entry.position.rawValue, forKey: mark) == nil else { return nil }
      }
      return places
    }
  }
}
