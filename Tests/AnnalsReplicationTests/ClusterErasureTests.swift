import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Testing

@Suite struct ClusterErasureTests {
  private func note(_ mark: Int) -> SeatsV1.Event { .noted(.init(mark: mark)) }

  @Test func `an erasure reaches every machine, its projections, and then the messages`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = (1...2).map { Machine(directory, "m\($0)", log.connect(.init(twice: 1_000))) }
    for machine in machines { try await machine.open(inline: [Bookings.self]) }
    try await machines[0].store.append([.booked(.init(seat: "1a", mark: 1)), note(2)], to: "person")
    try await machines[1].store.append([.booked(.init(seat: "1b", mark: 3))], to: "other")
    for machine in machines { try await machine.catchUp(with: log) }
    let views = try machines.map { try $0.store.view(Marks.self) }
    for view in views { try await view.waitUntil(3) }
    try machines[0].store.erase(stream: "person", by: "test", because: "asked")
    try await machines[1].store.append([note(4)], to: "other")
    for machine in machines { try await machine.catchUp(with: log) }
    let lines = try machines[0].store.log.lines()
    #expect(try machines[1].store.log.lines() == lines)
    #expect(!lines.contains { $0.contains("1a") })
    for machine in machines {
      let row = try machine.store.read { snapshot in
        try snapshot.inline(Bookings.self).get(Bookings.Row.self, "1a")
      }
      #expect(row == nil)
      try await waitUntil {
        let view = try machine.store.view(Marks.self)
        do {
          guard try view.get(Marks.Row.self, 1) == nil, try view.get(Marks.Row.self, 2) == nil else {
            return false
          }
          return try view.get(Marks.Row.self, 3) != nil && view.get(Marks.Row.self, 4) != nil
        } catch let error as AnnalsError where error.code == .busy {
          // While the view is made again.
          return false
        }
      }
      let erasure = try machine.store.log.erasures().first
      #expect(erasure?.generation == 1)
    }
    // Each message is in the log twice.
    #expect(try await need(machines[0].cluster).eraseMessages() == 2)
    #expect(log.messages.filter(\.bytes.isEmpty).count == 2)
    let late = Machine(directory, "m3", log.connect())
    // The machine may stop before its store is handed out.
    _ = try? await late.open(inline: [Bookings.self])
    try await waitUntil { late.cluster?.status?.isStopped == true }
    #expect(late.cluster?.status?.problem?.code == .storeTooOld)
    late.close()
    try FileManager.default.removeItem(at: late.url)
    try machines[1].store.log.backup(to: late.url)
    try await late.open(inline: [Bookings.self])
    try await late.catchUp(with: log)
    #expect(try late.store.log.lines() == lines)
  }

  @Test func `a machine that lags erases what was acknowledged before`() async throws {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let late = Machine(directory, "m1", log.connect(.init(lag: 50_000)))
    let machine = Machine(directory, "m2", log.connect())
    for machine in [late, machine] { try await machine.open() }
    for round in 1...5 {
      try await machine.store.append([note(round)], to: "person")
      #expect(try late.store.erase(stream: "person", by: "test", because: "asked").entries == 1)
    }
    try await machine.catchUp(with: log)
    #expect(try !machine.store.log.lines().contains { $0.contains("mark") })
    #expect(try machine.store.log.lines() == late.store.log.lines())
  }

  @Test func `machines stop where a projection refuses the rest, and go on with one that accepts it`()
    async throws
  {
    let directory = try TemporaryDirectory()
    let log = MemoryLog()
    let machines = (1...2).map { Machine(directory, "m\($0)", log.connect()) }
    for machine in machines { try await machine.open(inline: [NotedBookings.self]) }
    try await machines[0].store.append([note(1), .booked(.init(seat: "1a", mark: 2))], to: "person")
    for machine in machines { try await machine.catchUp(with: log) }
    #expect(throws: AnnalsError.self) { try machines[0].store.erase([1], by: "test", because: "asked") }
    for machine in machines {
      try await waitUntil { machine.cluster?.status?.isStopped == true }
      let problem = machine.cluster?.status?.problem
      #expect(problem?.code == .rejected && problem?.details.position == 2)
      #expect(problem?.message.hasSuffix("start a program on each in which this version does") == true)
      machine.close()
    }
    for machine in machines {
      try await waitUntil {
        do {
          try await machine.open(inline: [LenientBookings.self])
          return true
        } catch let error as AnnalsError where error.code == .busy {
          return false
        }
      }
    }
    try await machines[1].store.append([note(3)], to: "person")
    for machine in machines {
      try await machine.catchUp(with: log)
      #expect(try machine.store.log.read { try $0.entry(at: 1) }?.content == .stub(reason: "asked"))
      #expect(try machine.store.differencesOfInlineRows() == [])
    }
    #expect(machines[0].cluster?.status?.hash == machines[1].cluster?.status?.hash)
  }
}

/// Only a person with a note books a seat.
private enum NotedBookings: InlineProjection {
  typealias Event = SeatsV1.Event
  @Record struct Row: ProjectionRow {
    var stream: String
    var notes: Int
    var key: String { stream }
  }

  static let name = "noted-bookings"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    let notes = try rows.get(Row.self, entry.stream.text)?.notes ?? 0
    switch entry.event {
    case .booked: if notes == 0 { throw Rejection("the person has no note") }
    case .noted: try rows.put(Row(stream: entry.stream.text, notes: notes + 1))
    }
  }
}

/// The same version in a later release, which accepts every booking.
private enum LenientBookings: InlineProjection {
  typealias Event = SeatsV1.Event
  static let name = NotedBookings.name
  static let version = NotedBookings.version
  static var tables: [ProjectionTable] { NotedBookings.tables }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    if case .noted = entry.event { try NotedBookings.apply(entry, to: &rows) }
  }
}

/// The marks of all events.
enum Marks: Projection {
  typealias Event = SeatsV1.Event
  @Record struct Row: ProjectionRow {
    var mark: Int
    var key: Int { mark }
  }

  static let name = "marks"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Row.self)] }
  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    switch entry.event {
    case .booked(let booked): try rows.put(Row(mark: booked.mark))
    case .noted(let noted): try rows.put(Row(mark: noted.mark))
    }
  }
}
