import Annals
import AnnalsCoding
@testable import AnnalsFormat
import AnnalsReplication
import AnnalsTestSupport
import Foundation

@Schema(1, 0, 0) enum SeatsV1 {
  @Record struct Booked {
    @Field(tag: "seat") var seat: String
    var mark: Int
  }
  @Record struct Noted { var mark: Int }
}

enum SeatsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<SeatsV1, SeatsV1> {}
}

@Schema(2, 0, 0) enum SeatsV2 {
  typealias Booked = SeatsV1.Booked
  typealias Noted = SeatsV1.Noted
  @Record struct Cleared { var mark: Int }
}

enum NewSeatsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<SeatsV1, SeatsV2> {
    MigrationStage.lightweight(fromVersion: SeatsV1.self, toVersion: SeatsV2.self)
  }
}

/// A pass of this plan computes the tags of bookings again.
enum RetaggedSeatsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<SeatsV1, SeatsV2> {
    MigrationStage.custom(fromVersion: SeatsV1.self, toVersion: SeatsV2.self) { Retag(\.booked) }
  }
}

/// No seat is booked twice.
enum Bookings: InlineProjection {
  typealias Event = SeatsV1.Event
  @Record struct Row: ProjectionRow {
    var seat: String
    var mark: Int
    var key: String { seat }
  }

  static let name = "bookings"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .booked(let booked) = entry.event else { return }
    if try rows.get(Row.self, booked.seat) != nil { throw Rejection("the seat is taken") }
    try rows.put(Row(seat: booked.seat, mark: booked.mark))
  }
}

/// The state that an append requires. The name alone is also one of Swift Testing.
typealias Expected = AnnalsCoding.Expectation

/// A machine of a cluster in a test: its directory, its connection, and its store while it is open.
final class Machine {
  let url: URL
  let connection: MemoryLog.Connection
  /// What the store writes to: the connection, unless a test puts something in between.
  var log: any ReplicatedLog
  var cluster: ClusterStore<SeatsPlan>?

  init(_ directory: TemporaryDirectory, _ name: String, _ connection: MemoryLog.Connection) {
    url = directory.url.appendingPathComponent("\(name).annals")
    self.connection = connection
    log = connection
  }

  static func options(_ idempotency: StoreOptions.Idempotency? = nil) -> StoreOptions {
    var options = StoreOptions()
    options.durability = .relaxed
    options.idempotency = idempotency
    return options
  }

  @discardableResult
  func open(
    deadline: Duration = .seconds(10), inline: [any InlineProjection<SeatsV1.Event>.Type] = [],
    _ options: StoreOptions = Machine.options()
  ) async throws -> EventStore<SeatsPlan> {
    var membership = ClusterOptions()
    membership.deadline = deadline
    let cluster = try await ClusterStore.open(
      at: url, plan: SeatsPlan.self, log: log, options: options, cluster: membership, inline: inline)
    self.cluster = cluster
    return try cluster.store
  }

  func close() { cluster = nil }

  var store: EventStore<SeatsPlan> {
    get throws { try need(cluster).store }
  }

  /// Waits until the machine has applied every message of the log.
  func catchUp(with log: MemoryLog) async throws {
    try await waitUntil { (cluster?.status?.applied ?? 0) >= UInt64(log.messages.count) }
  }
}

/// A value that a test needs.
struct Missing: Error {}

func need<Value>(_ value: Value?) throws -> Value {
  guard let value else { throw Missing() }
  return value
}

extension EventLog {
  /// Every entry as a line with all that is stored of it.
  func lines() throws -> [String] {
    try read { (snapshot) throws(AnnalsError) in
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
}
