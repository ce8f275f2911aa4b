import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Annals through its untyped log: payloads are encoded already, entries are read as they are stored.
final class AnnalsSubject: StreamReader, GroupCommitter {
  static let name = "annals"

  private static let store = "bench.annals"
  private let log: EventLog

  /// Where the store in a directory is.
  static func place(in directory: URL) -> URL { directory.appendingPathComponent(store) }

  /// Relaxed: a power loss may take the last commit.
  init(creatingIn directory: URL, _ durability: Durability) throws {
    var options = Self.options(.always)
    if durability == .relaxed { options.durability = .relaxed }
    log = try EventLog(at: Self.place(in: directory), options: options)
  }

  init(openingIn directory: URL) throws {
    log = try EventLog(at: Self.place(in: directory), options: Self.options(.never))
  }

  /// How every store of a run is opened: the one place for what is to be tuned.
  private static func options(_ creation: StoreOptions.Creation) -> StoreOptions {
    var options = StoreOptions(creation: creation)
    // Enough for the heads of 1.4 million streams, so that a million of them stay in memory. It is taken as
    // streams are used.
    options.headMemory = 256 << 20
    return options
  }

  /// One event and the stream it is for.
  struct Item: Sendable {
    let stream: StreamName
    let events: [NewEntry]
  }

  static func prepare(_ events: [SampleEvent]) throws -> [Item] {
    try events.map { event in
      let entry = NewEntry(
        type: "Sampled", version: SchemaVersion(1, 0, 0), payload: try Payload(bytes: event.payload))
      return Item(stream: StreamName(event.streamName), events: [entry])
    }
  }

  func append(_ batch: [Item]) async throws {
    try await log.append { call in
      for item in batch { call.append(item.events, to: item.stream) }
    }
  }

  func append(blocking batch: [Item]) throws {
    try log.append { call in
      for item in batch { call.append(item.events, to: item.stream) }
    }
  }

  /// Header and checksum of every entry are checked by the library, which reads every byte for it.
  func scan() throws -> ScanTotal {
    try log.read { snapshot throws(AnnalsError) in
      var total = ScanTotal()
      var scan = try snapshot.scan()
      while let entry = try scan.next() {
        total.entries += 1
        total.digest &+= entry.stream.rawValue &+ UInt64(entry.payload?.count ?? 0)
      }
      return total
    }
  }

  func read(stream: Int) throws -> Int {
    try log.read { snapshot throws(AnnalsError) in
      var count = 0
      var entries = try snapshot.entries(in: StreamName(SampleEvent.name(ofStream: stream)))
      while let entry = try entries.next() {
        if case .payload = entry.content { count += 1 }
      }
      return count
    }
  }

  func read(stream: Int, revision: Int) throws -> Int {
    try log.read { snapshot throws(AnnalsError) in
      var entries = try snapshot.entries(
        in: StreamName(SampleEvent.name(ofStream: stream)), from: Revision(UInt64(revision)), limit: 1)
      guard let entry = try entries.next(), case .payload = entry.content else { return 0 }
      return 1
    }
  }

  /// The log is shared with the writer's thread, which may release it last.
  static func waitUntilClosed(in directory: URL) throws {
    let store = place(in: directory)
    for name in try FileManager.default.contentsOfDirectory(atPath: store.path)
    where name.hasSuffix(".lease") {
      try LeaseWait.untilFree(store.appendingPathComponent(name).path)
    }
  }

  static func bytesStored(in directory: URL) throws -> Int {
    try waitUntilClosed(in: directory)
    return try LMDBFile.bytesStored(
      at: place(in: directory).appendingPathComponent("log-000001.mdb").path)
  }
}
