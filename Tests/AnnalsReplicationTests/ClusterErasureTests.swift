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
