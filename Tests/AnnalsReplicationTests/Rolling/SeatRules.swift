import Annals
import AnnalsLog
import AnnalsProjections
import AnnalsReplication
import AnnalsStore
import AnnalsTestSupport
import Foundation
import Synchronization

// The inline projections of three releases that sell seats.
//
// 1. No seat is booked twice: `Bookings`.
// 2. Seats have two places: the same projection, raised. A new one counts the notes of each stream,
//    and lets it be cleared while the number is even.
// 3. The new one is gone.

/// `Bookings` for programs of the second schema version, which need it until its successor is in force.
enum SingleBookings: InlineProjection {
  typealias Event = SeatsV2.Event
  static let name = Bookings.name
  static let version = Bookings.version
  static var tables: [ProjectionTable] { [.rows(Bookings.Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .booked(let booked) = entry.event else { return }
    if try rows.get(Bookings.Row.self, booked.seat) != nil { throw Rejection("the seat is taken") }
    try rows.put(Bookings.Row(seat: booked.seat, mark: booked.mark))
  }
}

enum DoubleBookings: InlineProjection {
  typealias Event = SeatsV2.Event
  @Record struct Row: ProjectionRow {
    var seat: String
    var marks: [Int]
    var key: String { seat }
  }

  static let name = Bookings.name
  static let version = 2
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .booked(let booked) = entry.event else { return }
    var row = try rows.get(Row.self, booked.seat) ?? Row(seat: booked.seat, marks: [])
    if row.marks.count == 2 { throw Rejection("the seat is taken twice") }
    row.marks.append(booked.mark)
    try rows.put(row)
  }
}

enum EvenNotes: InlineProjection {
  typealias Event = SeatsV2.Event
  @Record struct Row: ProjectionRow {
    var stream: String
    var notes: Int
    var key: String { stream }
  }

  /// Called for each entry that is folded.
  static let observer = Mutex<(@Sendable (Position) -> Void)?>(nil)
  static let name = "even-notes"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    observer.withLock { $0 }?(entry.position)
    let old = try rows.get(Row.self, entry.stream.text) ?? Row(stream: entry.stream.text, notes: 0)
    switch entry.event {
    case .booked: return
    case .noted: try rows.put(Row(stream: old.stream, notes: old.notes + 1))
    case .cleared: if !old.notes.isMultiple(of: 2) { throw Rejection("the number of notes is odd") }
    }
  }
}

/// What a writer asks a program to append.
struct SeatWish: Sendable {
  enum Kind { case book(String), note, clear }

  var kind: Kind
  var mark: Int
}

/// What a test does with the program of a machine, in whichever release it is.
struct SeatProgram: Sendable {
  let release: Int
  let append: @Sendable (_ wish: SeatWish, _ stream: StreamName) async throws(AnnalsError) -> Appended
  let status: @Sendable () -> ClusterStatus?
  let log: @Sendable () throws(AnnalsError) -> EventLog
  let activate: @Sendable (_ superseding: Bool) throws(AnnalsError) -> ActivationReport
  /// All rows of the projections in force, as text.
  let rows: @Sendable () throws -> [String]
  /// What differs between the rows and a fold of the log.
  let differences: @Sendable () throws -> [String]
  /// Folds the projections that an activation would put in force, as one does that is not published.
  let fold: @Sendable () throws -> Void
  let erase: @Sendable (_ position: Position) throws(AnnalsError) -> Void
  let truncate: @Sendable (_ stream: StreamName, _ before: Revision?) async throws(AnnalsError) -> Void
  /// Runs a migration pass.
  let migrate: @Sendable () async throws(AnnalsError) -> Void
  let leave: @Sendable () -> Void
}

extension SeatProgram {
  /// Starts the program of a release.
  static func open(_ release: Int, _ url: URL, _ log: MemoryLog.Connection) async throws -> SeatProgram {
    var membership = ClusterOptions()
    membership.deadline = .seconds(20)
    membership.programLease = .seconds(2)
    let options = Machine.options()
    switch release {
    case 1:
      let cluster = try await ClusterStore.open(
        at: url, plan: SeatsPlan.self, log: log, options: options, cluster: membership,
        inline: [Bookings.self])
      return SeatProgram(
        1, cluster, { wish in .init(wish) },
        { snapshot in
          try snapshot.inline(Bookings.self).rows(RowQuery(Bookings.Row.self)).map { "\($0)" }
        })
    case 2:
      let cluster = try await ClusterStore.open(
        at: url, plan: NewSeatsPlan.self, log: log, options: options, cluster: membership,
        inline: [DoubleBookings.self, EvenNotes.self], retiring: [SingleBookings.self])
      return SeatProgram(
        2, cluster, { wish in .init(wish) },
        { snapshot in
          try snapshot.inline(DoubleBookings.self).rows(RowQuery(DoubleBookings.Row.self)).map { "\($0)" }
            + snapshot.inline(EvenNotes.self).rows(RowQuery(EvenNotes.Row.self)).map { "\($0)" }
        })
    default:
      let cluster = try await ClusterStore.open(
        at: url, plan: NewSeatsPlan.self, log: log, options: options, cluster: membership,
        inline: [DoubleBookings.self], retiring: [SingleBookings.self, EvenNotes.self])
      return SeatProgram(
        3, cluster, { wish in .init(wish) },
        { snapshot in
          try snapshot.inline(DoubleBookings.self).rows(RowQuery(DoubleBookings.Row.self)).map { "\($0)" }
        })
    }
  }

  private init<Plan: SchemaMigrationPlan>(
    _ release: Int, _ cluster: ClusterStore<Plan>,
    _ event: @escaping @Sendable (SeatWish) -> Plan.Current.Event,
    _ rows: @escaping @Sendable (borrowing StoreSnapshot<Plan.Current.Event>) throws -> [String]
  ) {
    self.release = release
    append = { (wish, stream) async throws(AnnalsError) in
      try await cluster.store.append([event(wish)], to: stream)
    }
    status = { cluster.status }
    log = { () throws(AnnalsError) in try cluster.store.log }
    activate = { (superseding) throws(AnnalsError) in try cluster.store.activate(superseding: superseding) }
    self.rows = {
      let store = try cluster.store
      return try store.read { snapshot in try rows(snapshot) }
    }
    differences = { try cluster.store.differencesOfInlineRows() }
    fold = {
      let store = try cluster.store
      let rows = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.ruleRows() }
      try ActivationWrite.fromCluster { () throws(AnnalsError) in
        for rule in store.inlineRules {
          if let refusal = try rule.build(rule.activation(of: rows), store.log) { throw refusal }
        }
      }
    }
    erase = { (position) throws(AnnalsError) in
      _ = try cluster.store.erase([position], by: "test", because: "asked")
    }
    truncate = { (stream, revision) async throws(AnnalsError) in
      try await cluster.store.truncate(stream, before: revision)
    }
    migrate = { () async throws(AnnalsError) in _ = try await cluster.store.migrate().report() }
    leave = { cluster.leave() }
  }
}

extension SeatsV1.Event {
  init(_ wish: SeatWish) {
    switch wish.kind {
    case .book(let seat): self = .booked(.init(seat: seat, mark: wish.mark))
    case .note, .clear: self = .noted(.init(mark: wish.mark))
    }
  }
}

extension SeatsV2.Event {
  init(_ wish: SeatWish) {
    switch wish.kind {
    case .book(let seat): self = .booked(.init(seat: seat, mark: wish.mark))
    case .note: self = .noted(.init(mark: wish.mark))
    case .clear: self = .cleared(.init(mark: wish.mark))
    }
  }
}

/// A machine of a cluster, whose program is replaced while writers use it.
final class SeatMachine: Sendable {
  let url: URL
  let connection: MemoryLog.Connection
  private let current = Mutex<SeatProgram?>(nil)

  init(_ directory: TemporaryDirectory, _ name: String, _ connection: MemoryLog.Connection) {
    url = directory.url.appendingPathComponent("\(name).annals")
    self.connection = connection
  }

  var program: SeatProgram? { current.withLock { $0 } }

  /// Starts the program of a release in place of the one before.
  @discardableResult
  func open(_ release: Int) async throws -> SeatProgram {
    close()
    // Calls of the program before may still end.
    try await waitUntil {
      do {
        let program = try await SeatProgram.open(release, url, connection)
        current.withLock { $0 = program }
        return true
      } catch let error as AnnalsError where error.code == .busy || error.code == .unavailable {
        return false
      }
    }
    return try need(program)
  }

  /// Ends the program.
  func close() {
    let old = current.withLock { program in
      defer { program = nil }
      return program
    }
    old?.leave()
  }
}
