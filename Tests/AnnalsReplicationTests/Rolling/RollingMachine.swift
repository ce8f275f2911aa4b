import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Synchronization

/// What a test does with the program of a machine, in whichever version it is.
struct RollingProgram: Sendable {
  let version: SchemaVersion
  /// Appends a weighing of as many pounds as its mark.
  let append: @Sendable (_ mark: Int, _ id: UUID, _ stream: StreamName) async throws(AnnalsError) -> Appended
  let status: @Sendable () -> ClusterStatus?
  let store: @Sendable () throws(AnnalsError) -> EventLog
  /// Waits until the machine's view has a position, and returns the sum in its rows.
  let total: @Sendable (Position) async throws -> Int?
  let activate: @Sendable (_ superseding: Bool) throws(AnnalsError) -> ActivationReport
  let leave: @Sendable () -> Void
}

/// A machine of a cluster, whose program is replaced while writers use it.
final class RollingMachine: Sendable {
  let url: URL
  let connection: MemoryLog.Connection
  private let current = Mutex<RollingProgram?>(nil)

  init(_ directory: TemporaryDirectory, _ name: String, _ connection: MemoryLog.Connection) {
    url = directory.url.appendingPathComponent("\(name).annals")
    self.connection = connection
  }

  var program: RollingProgram? { current.withLock { $0 } }

  private static func membership() -> ClusterOptions {
    var options = ClusterOptions()
    options.deadline = .seconds(20)
    options.programLease = .seconds(2)
    return options
  }

  /// Starts the program of version 1.
  func openOlder() async throws {
    try await open { [url, connection] in
      let cluster = try await ClusterStore.open(
        at: url, plan: WeightsPlan1.self, log: connection, options: Machine.options(.always),
        cluster: Self.membership())
      return RollingProgram(cluster, PoundTotals.self) { mark in .weighed(.init(pounds: mark, mark: mark)) }
    }
  }

  /// Starts the program of version 2, whose view is raised.
  func openNewer() async throws {
    try await open { [url, connection] in
      let cluster = try await ClusterStore.open(
        at: url, plan: WeightsPlan2.self, log: connection, options: Machine.options(.always),
        cluster: Self.membership())
      return RollingProgram(cluster, OunceTotals.self) { mark in
        .weighed(.init(ounces: mark * 16, mark: mark))
      }
    }
  }

  private func open(_ start: () async throws -> RollingProgram) async throws {
    close()
    // Calls of the program before may still end.
    try await waitUntil {
      do {
        let program = try await start()
        current.withLock { $0 = program }
        return true
      } catch let error as AnnalsError where error.code == .busy || error.code == .unavailable {
        return false
      }
    }
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

extension RollingProgram {
  init<Plan: SchemaMigrationPlan, Totals: Projection>(
    _ cluster: ClusterStore<Plan>, _ totals: Totals.Type, _ event: @escaping @Sendable (Int) -> Totals.Event
  ) where Totals.Event == Plan.Current.Event {
    version = Plan.Current.version
    append = { (mark, id, stream) async throws(AnnalsError) in
      try await cluster.store.append([NewEvent(event(mark), id: id)], to: stream)
    }
    status = { cluster.status }
    store = { () throws(AnnalsError) in try cluster.store.log }
    total = { position in
      let view = try cluster.store.view(totals)
      try await view.waitUntil(position)
      return try view.get(WeightTotal.self, "all")?.sum
    }
    activate = { (superseding) throws(AnnalsError) in try cluster.store.activate(superseding: superseding) }
    leave = { cluster.leave() }
  }
}

extension EventLog {
  /// The versions of all events, in order, without repetitions of neighbours.
  func versions() throws -> [SchemaVersion?] {
    try read { (snapshot) throws(AnnalsError) in
      var versions: [SchemaVersion?] = []
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        guard case .payload = entry.content else { continue }
        if versions.last != .some(entry.version) { versions.append(entry.version) }
      }
      return versions
    }
  }
}
