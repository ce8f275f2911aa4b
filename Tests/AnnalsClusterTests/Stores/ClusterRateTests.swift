import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnalsCluster
@testable import ClusterTool

/// Appends to a cluster against plain publishing to the same servers, in one run.
///
/// It prints and checks nothing but that all is there, because the ratios depend on what else a machine does.
@Suite(
  .enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)),
  .enabled(if: RunLength.count("ANNALS_CLUSTER_RATES", usual: 0) > 0, "set ANNALS_CLUSTER_RATES to measure"),
  .serialized)
struct ClusterRateTests {
  private static let seconds = RunLength.count("ANNALS_CLUSTER_RATES", usual: 0)

  /// Publishing with the client library alone: a message, its answer, the next message.
  private final class Plain: Sendable {
    private let waiting: Mutex<[String: CheckedContinuation<Void, Never>]> = Mutex([:])
    private let connection: Mutex<NATSConnection?> = Mutex(nil)

    func connect(_ address: BrokerAddress) throws {
      let made = try NATSConnection(to: address) { id, _ in
        self.waiting.withLock { $0.removeValue(forKey: id) }?.resume()
      }
      connection.withLock { $0 = made }
    }

    var isConnected: Bool { connection.withLock { $0?.isConnected == true } }

    func publish(_ bytes: [UInt8], to subject: String) async {
      let id = UUID().uuidString
      await withCheckedContinuation { continuation in
        waiting.withLock { $0[id] = continuation }
        let connection = connection.withLock { $0 }
        try? connection?.publish(bytes, id: id, to: subject)
      }
    }

    func close() { connection.withLock { $0 = nil } }
  }

  /// Returns how often a second `body` is done by so many writers.
  private func rate(_ writers: Int, _ body: @escaping @Sendable () async throws -> Void) async throws
    -> Double
  {
    let start = ContinuousClock.now
    let end = start + .seconds(Self.seconds)
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<writers {
        group.addTask {
          var count = 0
          while ContinuousClock.now < end {
            try await body()
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    let time = start.duration(to: .now)
    return Double(count) / (Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18)
  }

  @Test func `appends are compared with plain publishing, and a backlog with local appends`() async throws {
    let directory = try TemporaryDirectory()
    let servers = try NATSServers(3)
    let log = ClusterLog.jetStream(servers: servers.addresses, name: "rooms")
    let machine = RoomMachine(directory, "m0", log)
    try await machine.open()
    let other = try JetStreamLog(servers.address("plain"), creates: true)
    _ = try await other.publish([1], id: UUID(), within: .seconds(60))
    let plain = Plain()
    try plain.connect(servers.address("plain"))
    try await waitUntil { plain.isConnected }
    let store = try machine.store
    let bytes = [UInt8](repeating: 7, count: 200)
    for writers in [1, 16, 128] {
      let ours = try await rate(writers) {
        _ = try await store.append([.noted(.init(mark: 1))], to: StreamName("s\(UInt8.random(in: 0...255))"))
      }
      let theirs = try await rate(writers) { await plain.publish(bytes, to: "annals.plain") }
      print("\(writers) writers: \(Int(ours)) appends/s, \(Int(theirs)) publishes/s, ratio \(ours / theirs)")
    }
    let last = try #require(machine.member.status?.position)
    // Another machine applies all of it from the beginning.
    let late = RoomMachine(directory, "m1", log)
    let start = ContinuousClock.now
    try await late.open()
    try await late.member.waitUntil(last, within: .seconds(300))
    let time = start.duration(to: .now) / .seconds(1)
    print("backlog: \(last) entries in \(time) s, \(Int(Double(last.rawValue) / time)) a second")
    #expect(try late.lines() == machine.lines())
    plain.close()
    await other.close()
  }
}
