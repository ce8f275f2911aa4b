import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Annals through its untyped log: payloads are encoded already, entries are read as they are stored.
final class AnnalsSubject: StreamReader {
  static let name = "annals"

  private static let store = "bench.annals"
  private let log: EventLog

  init(creatingIn directory: URL) throws {
    log = try EventLog(
      at: directory.appendingPathComponent(Self.store), options: StoreOptions(creation: .always))
  }

  /// One event and the stream it is for.
  struct Item: Sendable {
    let stream: StreamName
    let events: [NewEntry]
  }

  func prepare(_ events: [SampleEvent]) throws -> [Item] {
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

  static func bytesStored(in directory: URL) throws -> Int {
    let store = directory.appendingPathComponent(Self.store)
    // A new store is in its first generation. The log is shared with the writer's thread, which may release it last.
    try LeaseWait.untilFree(store.appendingPathComponent("log-000001.lease").path)
    return try LMDBFile.bytesStored(at: store.appendingPathComponent("log-000001.mdb").path)
  }
}
