import Annals
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnalsCluster
@testable import AnnalsClusterTool

/// Two versions of a schema are rolled out over three machines and three servers, while every machine
/// appends.
@Suite(.enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)), .serialized)
struct RollingServersTests {
  /// What the test does with the program of a machine, in either version.
  private struct Program: Sendable {
    let append: @Sendable (_ mark: Int, _ id: UUID, _ stream: StreamName) async throws(AnnalsError) -> Void
    let status: @Sendable () -> ClusterStatus?
    let log: @Sendable () throws(AnnalsError) -> EventLog
    let total: @Sendable (Position) async throws -> Int?
    let activate: @Sendable () throws(AnnalsError) -> ActivationReport
    let leave: @Sendable () -> Void

    init<Plan: SchemaMigrationPlan, Totals: Projection>(
      _ cluster: ClusterStore<Plan>, _ totals: Totals.Type, _ event: @escaping @Sendable (Int) -> Totals.Event
    ) where Totals.Event == Plan.Current.Event {
      append = { (mark, id, stream) async throws(AnnalsError) in
        _ = try await cluster.store.append([NewEvent(event(mark), id: id)], to: stream)
      }
      status = { cluster.status }
      log = { () throws(AnnalsError) in try cluster.store.log }
      total = { position in
        let view = try cluster.store.view(totals)
        try await view.waitUntil(position)
        return try view.get(ParcelTotal.self, "all")?.sum
      }
      activate = { () throws(AnnalsError) in try cluster.store.activate() }
      leave = { cluster.leave() }
    }
  }

  private final class Place: Sendable {
    let url: URL
    let log: ClusterLog
    let program = Mutex<Program?>(nil)
    /// The newest mark that was appended here.
    let mark = Mutex(0)

    init(_ url: URL, _ log: ClusterLog) {
      self.url = url
      self.log = log
    }

    private func cluster<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) async throws -> ClusterStore<Plan> {
      var options = StoreOptions()
      options.durability = .relaxed
      options.idempotency = .always
      var membership = ClusterOptions()
      membership.deadline = .seconds(30)
      return try await ClusterStore(
        at: url, plan: plan, log: log, options: options, cluster: membership, warn: { _ in })
    }

    func close() {
      let old = program.withLock { program in
        defer { program = nil }
        return program
      }
      old?.leave()
    }

    func open(isNewer: Bool) async throws {
      close()
      // Calls of the program before may still end.
      try await waitUntil {
        do {
          let made =
            if isNewer {
              try await Program(cluster(ParcelsPlan2.self), GramTotals.self) {
                .sent(.init(grams: $0 * 1_000, mark: $0))
              }
            } else {
              try await Program(cluster(ParcelsPlan1.self), KilogramTotals.self) {
                .sent(.init(kilograms: $0, mark: $0))
              }
            }
          program.withLock { $0 = made }
          return true
        } catch let error as AnnalsError where error.code == .busy || error.code == .unavailable {
          return false
        }
      }
    }

    var current: Program {
      get throws {
        guard let program = program.withLock({ $0 }) else { throw CocoaError(.fileNoSuchFile) }
        return program
      }
    }

    /// Appends 1, 2, 3, … by whichever program runs here.
    func write(unless isOver: @Sendable () -> Bool) async throws {
      var id = UUID()
      while !isOver() {
        guard let program = program.withLock({ $0 }) else {
          try await Task.sleep(for: .milliseconds(5))
          continue
        }
        let next = mark.withLock { $0 } + 1
        do throws(AnnalsError) {
          try await program.append(next, id, StreamName(url.lastPathComponent))
          mark.withLock { $0 = next }
          id = UUID()
        } catch {
          try await Task.sleep(for: .milliseconds(20))
        }
      }
    }
  }

  /// Whether the writers are to end.
  private final class End: Sendable {
    private let flag = Atomic(false)
    var isHere: Bool { flag.load(ordering: .relaxed) }
    func come() { flag.store(true, ordering: .relaxed) }
  }

  private func progress(_ places: [Place]) async throws {
    let before = places.map { place in place.mark.withLock { $0 } }
    try await waitUntil {
      zip(places, before).allSatisfy { place, mark in place.mark.withLock { $0 } > mark + 5 }
    }
  }

  private func refusal(of activate: () throws(AnnalsError) -> ActivationReport) -> AnnalsError.Code? {
    do throws(AnnalsError) {
      _ = try activate()
      return nil
    } catch {
      return error.code
    }
  }

  @Test(.timeLimit(.minutes(3)))
  func `versions roll over three machines and three servers, and a machine that missed it returns`()
    async throws
  {
    let directory = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let servers = try NATSServers(3)
    let log = ClusterLog.jetStream(servers: servers.addresses, name: "parcels")
    let places = (0..<3).map { Place(directory.url.appendingPathComponent("m\($0).annals"), log) }
    for place in places { try await place.open(isNewer: false) }
    let end = End()
    try await withThrowingTaskGroup(of: Void.self) { group in
      defer { end.come() }
      for place in places {
        group.addTask { try await place.write { end.isHere } }
      }
      try await roll(places, servers)
      end.come()
      try await group.waitForAll()
    }
    let last = try await JetStreamLog(servers.address("parcels"), creates: false).last(within: .seconds(10))
    let programs = try places.map { try $0.current }
    try await waitUntil { programs.allSatisfy { ($0.status()?.applied ?? 0) >= last } }
    let lines = try RoomMachine.lines(at: places[0].url)
    let sum = places.reduce(0) { sum, place in
      let mark = place.mark.withLock { $0 }
      return sum + mark * (mark + 1) / 2
    }
    for (place, program) in zip(places, programs) {
      #expect(try RoomMachine.lines(at: place.url) == lines)
      #expect(program.status()?.hash == programs[0].status()?.hash)
      #expect(try await program.total(Position(UInt64(lines.count))) == sum * 1_000)
    }
  }

  private func roll(_ places: [Place], _ servers: NATSServers) async throws {
    try await progress(places)
    for place in places.dropLast() {
      try await place.open(isNewer: true)
      try await progress(places)
    }
    let (new, missed) = (try places[0].current, places[2])
    #expect(refusal(of: new.activate) == .busy)
    missed.close()
    // The machine says that it has left.
    try await waitUntil { refusal(of: new.activate) == nil }
    try await progress(Array(places.dropLast()))
    try await missed.open(isNewer: false)
    let old = try missed.current
    try await waitUntil { old.status()?.isStopped == true }
    #expect(old.status()?.needs == SchemaVersion(2, 0, 0))
    #expect(try old.log().info().cluster?.neededVersion == SchemaVersion(2, 0, 0))
    let words = ["status", "--servers", servers.addresses.joined(separator: ","), "--name", "parcels"]
    let status = try await ClusterCommand.result(of: ClusterArguments(words.map { CommandWord($0) }))
    #expect(status.output.contains("it needs a program whose plan has version 2.0.0"))
    #expect(!status.isGood)
    try await missed.open(isNewer: true)
    try await progress(places)
  }
}
