import Annals
import AnnalsReplication
import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnalsCluster
@testable import ClusterTool

/// Appends to a cluster against plain publishing to the same servers, in one run, and what a machine does on
/// its own against a plain store.
///
/// It prints and checks nothing but that all is there, because the ratios depend on what else a machine does.
@Suite(
  .enabled(if: NATSProgram.path != nil, Comment(rawValue: NATSProgram.missing)),
  .enabled(if: RunLength.count("ANNALS_CLUSTER_RATES", usual: 0) > 0, "set ANNALS_CLUSTER_RATES to measure"),
  .serialized)
struct ClusterRateTests {
  private static let seconds = RunLength.count("ANNALS_CLUSTER_RATES", usual: 0)
  private static let pairs = RunLength.count("ANNALS_CLUSTER_PAIRS", usual: 5)

  /// Publishing with the client library alone: a message, its answer, the next message.
  private final class Plain: Sendable {
    private let waiting: Mutex<[String: CheckedContinuation<Void, Never>]> = Mutex([:])
    private let connection: Mutex<NATSConnection?> = Mutex(nil)

    func connect(_ address: BrokerAddress, sendsAtOnce: Bool) throws {
      let made = try NATSConnection(to: address, sendsAtOnce: sendsAtOnce) { id, _ in
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
    return Double(count) / (start.duration(to: .now) / .seconds(1))
  }

  /// Measures two rates in turn, and prints their medians and the median and quartiles of their ratios.
  private func compare(
    _ name: String, _ ours: () async throws -> Double, _ theirs: () async throws -> Double
  ) async throws {
    var pairs: [(ours: Double, theirs: Double)] = []
    for pair in 0..<Self.pairs {
      // In the opposite order every second time.
      if pair % 2 == 0 {
        let mine = try await ours()
        pairs.append((mine, try await theirs()))
      } else {
        let plain = try await theirs()
        pairs.append((try await ours(), plain))
      }
    }
    func quarter(_ quarters: Int, _ values: [Double]) -> Double {
      values.sorted()[(values.count - 1) * quarters / 4]
    }
    let (mine, plain) = (quarter(2, pairs.map(\.ours)), quarter(2, pairs.map(\.theirs)))
    let ratios = (1...3).map { (quarter($0, pairs.map { $0.ours / $0.theirs }) * 100).rounded() / 100 }
    print(
      "\(name): \(Int(mine)) a second, plain \(Int(plain)), ratio \(ratios[1]) (\(ratios[0]) to \(ratios[2]))"
    )
  }

  @Test(arguments: [1, 3], [false, true])
  func `appends are compared with plain publishing`(members: Int, isInMemory: Bool) async throws {
    print("stores in memory: \(isInMemory)")
    let directory =
      isInMemory ? try TemporaryDirectory(in: TemporaryDirectory.memory) : try TemporaryDirectory()
    let servers = try NATSServers(3)
    let log = ClusterLog.jetStream(servers: servers.addresses, name: "rooms")
    let machines = (0..<members).map { RoomMachine(directory, "m\($0)", log) }
    for machine in machines { try await machine.open() }
    let other = try JetStreamLog(servers.address("plain"), creates: true)
    _ = try await other.publish([1], id: UUID(), within: .seconds(60))
    let plain = Plain()
    try plain.connect(servers.address("plain"), sendsAtOnce: false)
    let quick = Plain()
    try quick.connect(servers.address("plain"), sendsAtOnce: true)
    try await waitUntil { plain.isConnected && quick.isConnected }
    let store = try machines[0].store
    let bytes = [UInt8](repeating: 7, count: 200)
    for writers in [1, 16, 128] {
      try await compare("\(members) members, \(writers) writers") {
        try await rate(writers) {
          _ = try await store.append(
            [.noted(.init(mark: 1))], to: StreamName("s\(UInt8.random(in: 0...255))"))
        }
      } _: {
        try await rate(writers) { await plain.publish(bytes, to: "annals.plain") }
      }
      try await compare("publishing that sends each message at once") {
        try await rate(writers) { await quick.publish(bytes, to: "annals.plain") }
      } _: {
        try await rate(writers) { await plain.publish(bytes, to: "annals.plain") }
      }
    }
    let batch = [RoomsV1.Event](repeating: .noted(.init(mark: 1)), count: 100)
    try await compare("\(members) members, events in batches of 100 against messages, 100 at a time") {
      try await rate(1) { _ = try await store.append(batch, to: "batches") } * 100
    } _: {
      try await rate(100) { await plain.publish(bytes, to: "annals.plain") }
    }
    let large = [UInt8](repeating: 7, count: 20_000)
    try await compare("\(members) members, batches of 100 against messages of 20,000 bytes") {
      try await rate(1) { _ = try await store.append(batch, to: "batches") }
    } _: {
      try await rate(1) { await plain.publish(large, to: "annals.plain") }
    }
    plain.close()
    quick.close()
    await other.close()
  }

  @Test func `a backlog is compared with local appends, and reads with those of a plain store`() async throws
  {
    let directory = try TemporaryDirectory()
    let servers = try NATSServers(3)
    let log = ClusterLog.jetStream(servers: servers.addresses, name: "rooms")
    let machine = RoomMachine(directory, "m0", log)
    try await machine.open()
    let store = try machine.store
    for (writers, name) in [(128, "shared messages"), (0, "calls of 1,000")] {
      let before = try #require(machine.member.status).position.rawValue
      // So many that the opening of a machine takes little of its time.
      for _ in 0..<(writers == 0 ? 1 : 10) {
        _ = try await rate(max(writers, 1)) {
          let stream = StreamName("s\(UInt8.random(in: 0...255))")
          let count = writers == 0 ? 1_000 : 1
          _ = try await store.append(
            [RoomsV1.Event](repeating: .noted(.init(mark: 1)), count: count), to: stream)
        }
      }
      let last = try #require(machine.member.status).position.rawValue
      print("\(name): \(last - before) entries")
      // Another machine applies all of it from the beginning.
      let late = RoomMachine(directory, "late-\(writers)", log)
      try await late.open()
      // The broker chooses servers first, which takes a tenth of a second or more.
      try await late.member.waitUntil(Position(1), within: .seconds(300))
      let (first, start) = (try #require(late.member.status).position.rawValue, ContinuousClock.now)
      try await late.member.waitUntil(Position(last), within: .seconds(300))
      let time = start.duration(to: .now) / .seconds(1) * Double(last) / Double(last - first)
      let (local, copy) = try await append(all: late, to: directory.url.appendingPathComponent("\(writers)"))
      let (ours, theirs) = (Double(last) / time, Double(last) / local)
      print(
        "backlog of \(last) entries with \(name): \(Int(ours)) a second, local \(Int(theirs)), ratio \(ours / theirs)"
      )
      #expect(try late.lines().count == Int(last))
      try await compare("reading \(last) entries") {
        try Self.scan(late.store)
      } _: {
        try Self.scan(copy)
      }
      try await compare("reading streams") {
        try Self.readStreams(late.store)
      } _: {
        try Self.readStreams(copy)
      }
    }
  }

  /// Appends the events of a machine to a plain store, a thousand at a time.
  ///
  /// - Returns: The seconds that the appends took, and the store.
  private func append(
    all machine: RoomMachine, to url: URL
  ) async throws -> (Double, EventStore<RoomsPlan>) {
    var calls: [[(StreamName, [RoomsV1.Event])]] = []
    try machine.store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var count = 0
      while let entry = try entries.next() {
        if count % 1_000 == 0 { calls.append([]) }
        count += 1
        if calls[calls.count - 1].last?.0 == entry.stream {
          calls[calls.count - 1][calls[calls.count - 1].count - 1].1.append(entry.event)
        } else if let index = calls[calls.count - 1].firstIndex(where: { $0.0 == entry.stream }) {
          calls[calls.count - 1][index].1.append(entry.event)
        } else {
          calls[calls.count - 1].append((entry.stream, [entry.event]))
        }
      }
    }
    var options = StoreOptions()
    options.durability = .relaxed
    let store = try EventStore(at: url, plan: RoomsPlan.self, options: options, inline: [RoomBookings.self])
    let start = ContinuousClock.now
    for parts in calls {
      try await store.append { call in
        for (stream, events) in parts { call.append(events, to: stream) }
      }
    }
    return (start.duration(to: .now) / .seconds(1), store)
  }

  /// Reads all entries, and returns how many a second.
  private static func scan(_ store: EventStore<RoomsPlan>) throws -> Double {
    let start = ContinuousClock.now
    var count = 0
    while start.duration(to: .now) < .seconds(1) {
      try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries()
        while try entries.next() != nil { count += 1 }
      }
    }
    return Double(count) / (start.duration(to: .now) / .seconds(1))
  }

  /// Reads the first 30 entries of streams in turn, and returns how many streams a second.
  private static func readStreams(_ store: EventStore<RoomsPlan>) throws -> Double {
    let start = ContinuousClock.now
    var count = 0
    while start.duration(to: .now) < .seconds(1) {
      try store.read { (snapshot) throws(AnnalsError) in
        var entries = try snapshot.entries(in: StreamName("s\(count % 256)"), limit: 30)
        while try entries.next() != nil {}
      }
      count += 1
    }
    return Double(count) / (start.duration(to: .now) / .seconds(1))
  }
}
