import Annals
import TypedSchemas

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A store of the six-field event with a payload of 150 bytes: what passes are measured with.
struct TypedLog: Hashable, Sendable {
  let streams: Int
  let entries: Int

  /// The bytes of every payload.
  static let payloadBytes = 150
  /// The bytes of an entry with such a payload, its header and links.
  static let entryBytes = 174
  private static let store = "bench.annals"

  /// The event of every entry.
  static let event = Stored.SetLogged(
    title: "Bench press", reps: 8, sets: 3, weight: 82.5,
    notes: String(repeating: "felt good ", count: 12) + ".",
    at: 1_732_147_200.123)

  /// The values that distinguish runs with this log from others.
  var parameters: [String: Int] {
    ["streams": streams, "entries": entries, "payload": Self.payloadBytes]
  }

  /// Where the store is in a directory.
  static func place(in directory: URL) -> URL { directory.appendingPathComponent(store) }

  /// Creates the store in an empty directory.
  func fill(in directory: URL) async throws {
    try await append(in: directory)
    try LeaseWait.untilFree(Self.lease(in: directory, generation: 1))
  }

  /// In a function of its own, so that the store is released when this returns.
  private func append(in directory: URL) async throws {
    var payload: [UInt8] = []
    try Self.event.encode(into: &payload)
    guard payload.count == Self.payloadBytes else {
      throw WrongWork(description: "the event has a payload of \(payload.count) bytes")
    }
    var options = StoreOptions()
    options.headMemory = 256 << 20
    let store = try EventStore(at: Self.place(in: directory), plan: Only<Stored>.self, options: options)
    var next = 0
    while next < entries {
      let range = next..<min(next + Filling.batch, entries)
      try await store.append { call in
        for index in range {
          call.append(
            [.setLogged(Self.event)], to: StreamName(SampleEvent.name(ofStream: index % streams)))
        }
      }
      next = range.upperBound
    }
  }

  /// The lease file of a generation, which every program that has the generation open keeps locked.
  private static func lease(in directory: URL, generation: Int) -> String {
    place(in: directory).appendingPathComponent("log-00000\(generation).lease").path
  }

  /// The file of the first generation.
  static func file(in directory: URL) -> URL {
    place(in: directory).appendingPathComponent("log-000001.mdb")
  }

  /// Lends a copy of the store that was filled in `filled`, on disk already.
  static func lendCopy<Result>(
    of filled: URL, in directory: URL, _ body: (URL) async throws -> Result
  ) async throws -> Result {
    try await Workplace.lend(inside: directory) { place in
      let copy = place.appendingPathComponent("copy")
      try FileManager.default.copyItem(at: filled, to: copy)
      try PageCache.writeOut(copy)
      let result = try await body(copy)
      try LeaseWait.untilFree(lease(in: copy, generation: 1))
      return result
    }
  }
}
