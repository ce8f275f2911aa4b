import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsStore

/// Random logs of four versions, of which stages retain some records, against what each record must become.
@Suite struct RetainPropertyTests {
  @Schema(1, 0, 0) enum Mail1 {
    @Record struct Posted: Equatable { var n: Int }
    @Record struct Wired: Equatable { var n: Int }
    @Record struct Pinged: Equatable { var n: Int }
    @Record struct Noted: Equatable { var n: Int }
  }
  @Schema(2, 0, 0) enum Mail2 {
    typealias Posted = Mail1.Posted
    typealias Noted = Mail1.Noted
    @Record struct Cabled: Equatable { var n: Int }
    @Record struct Bundled: Equatable { var parts: [Int] }
  }
  @Schema(3, 0, 0) enum Mail3 {
    typealias Bundled = Mail2.Bundled
    @Record struct Cabled: Equatable {
      var n: Int
      var office: String?
    }
    @Record struct Noted: Equatable {
      var n: Int
      var by: String
    }
  }
  @Schema(4, 0, 0) enum Mail4 {
    typealias Noted = Mail3.Noted
    @Record struct Packed: Equatable { var n: Int }
  }
  enum First: SchemaMigrationPlan { static var stages: MigrationChain<Mail1, Mail1> {} }
  static let toSecond = MigrationStage.custom(fromVersion: Mail1.self, toVersion: Mail2.self) {
    Upcast(\.wired, to: \.cabled) { old, _ in .init(n: old.n) }
    Drop(\.pinged, reason: "noise")
  }
  static let toThird = MigrationStage.custom(fromVersion: Mail2.self, toVersion: Mail3.self) {
    Retain(\.posted)
    Upcast(\.noted, to: \.noted) { old, origin in .init(n: old.n, by: origin.stream.text) }
  }
  enum Second: SchemaMigrationPlan {
    static var stages: MigrationChain<Mail1, Mail2> { RetainPropertyTests.toSecond }
  }
  enum Third: SchemaMigrationPlan {
    static var stages: MigrationChain<Mail1, Mail3> {
      RetainPropertyTests.toSecond
      RetainPropertyTests.toThird
    }
  }
  enum Fourth: SchemaMigrationPlan {
    static var stages: MigrationChain<Mail1, Mail4> {
      RetainPropertyTests.toSecond
      RetainPropertyTests.toThird
      MigrationStage.custom(fromVersion: Mail3.self, toVersion: Mail4.self) {
        Retain(\.cabled)
        Split(\.bundled, into: [\.packed], emptyBecause: "empty") { old, _ in
          old.parts.map { .packed(.init(n: $0)) }
        }
      }
    }
  }

  /// An entry of a random type and version, and what it must be.
  private struct Made {
    var type: String
    var version: UInt32
    var stream: StreamName
    var payload: CBOR
    /// What it is at version 4, in words; `nil` where it is retained.
    var lines: [String]?
  }

  private func made(_ n: Int, _ generator: inout SeededGenerator) -> Made {
    let stream = StreamName(["a", "b", "c"][Int.random(in: 0..<3, using: &generator)])
    func entry(_ type: String, _ versions: ClosedRange<UInt32>, _ payload: CBOR, _ lines: [String]?)
      -> Made
    {
      Made(
        type: type, version: UInt32.random(in: versions, using: &generator), stream: stream, payload: payload,
        lines: lines)
    }
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: return entry("Posted", 1...2, ["n": CBOR(integerLiteral: n)], nil)
    case 1: return entry("Wired", 1...1, ["n": CBOR(integerLiteral: n)], nil)
    case 2: return entry("Cabled", 2...3, ["n": CBOR(integerLiteral: n)], nil)
    case 3: return entry("Pinged", 1...1, ["n": CBOR(integerLiteral: n)], [])
    case 4: return entry("Noted", 1...2, ["n": CBOR(integerLiteral: n)], ["noted \(n) \(stream)"])
    case 5:
      let parts = (0..<Int.random(in: 0..<4, using: &generator)).map { n * 10 + $0 }
      return entry(
        "Bundled", 2...3, ["parts": .array(parts.map { CBOR(integerLiteral: $0) })],
        parts.map { "packed \($0)" })
    default: return entry("Packed", 4...4, ["n": CBOR(integerLiteral: n)], ["packed \(n)"])
    }
  }

  private func seed(_ seed: UInt64, upTo newest: UInt32 = 4) async throws -> (TemporaryStore, [Made]) {
    var generator = SeededGenerator(seed: seed)
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    let all = (0..<150).map { made($0, &generator) }.filter { $0.version <= newest }
    for made in all {
      try await log.append(
        [
          NewEntry(
            type: made.type, version: SchemaVersion(made.version, 0, 0), payload: try Payload(made.payload))
        ],
        to: made.stream)
    }
    return (place, all)
  }

  private func lines(_ store: EventStore<Fourth>) throws -> [String] {
    try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var lines: [String] = []
      while let entry = try entries.next() {
        switch entry.event {
        case .noted(let noted): lines.append("\(entry.position) noted \(noted.n) \(noted.by)")
        case .packed(let packed): lines.append("\(entry.position) packed \(packed.n)")
        }
      }
      return lines
    }
  }

  private func wanted(_ all: [Made]) -> [String] {
    all.enumerated().flatMap { number, made in (made.lines ?? []).map { "\(number + 1) \($0)" } }
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `reads and passes agree with the expected result of every record`(seed: UInt64) async throws {
    let (place, all) = try await self.seed(seed)
    let retained = all.indices.filter { all[$0].lines == nil }.map { Position(UInt64($0) + 1) }
    #expect(retained.count > 20 && retained.count < all.count - 20, "seed \(seed)")
    var store = try EventStore(at: place.url, plan: Fourth.self)
    #expect(try lines(store) == wanted(all), "seed \(seed)")
    let before = try retained.map { try store.log.stored(at: $0) }
    var options = MigrationOptions()
    options.threads = Int(seed % 3) + 1
    options.batch = Int(seed) * 9
    let report = try store.migrate(options).join()
    #expect(report.retained.reduce(0) { $0 + Int($1.count) } == retained.count, "seed \(seed)")
    #expect(report.dropped.allSatisfy { ["noise", "empty"].contains($0.reason) }, "seed \(seed)")
    store = try EventStore(at: place.url, plan: Fourth.self)
    #expect(try lines(store) == wanted(all), "seed \(seed)")
    let raw = try retained.map { position in
      let made = all[Int(position.rawValue) - 1]
      return "\(made.type) \(made.version).0.0 \(made.stream) \(try Payload(made.payload).json())"
    }
    #expect(try retained.map { try store.log.entry($0) } == raw, "seed \(seed)")
    #expect(try retained.map { try store.log.stored(at: $0) } == before, "seed \(seed)")
    #expect(try !store.migrate().join().isDone, "seed \(seed)")
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [], "seed \(seed)")
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a pass at every version between leads to the same events and loses no entry`(seed: UInt64)
    async throws
  {
    let (place, all) = try await self.seed(seed, upTo: 1)
    func migrate<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) throws {
      let store = try EventStore(at: place.url, plan: plan)
      _ = try store.migrate().join()
      #expect(try !store.migrate().join().isDone, "seed \(seed)")
    }
    var generator = SeededGenerator(seed: seed)
    if Bool.random(using: &generator) { try migrate(Second.self) }
    if Bool.random(using: &generator) { try migrate(Third.self) }
    try migrate(Fourth.self)
    #expect(try lines(EventStore(at: place.url, plan: Fourth.self)) == wanted(all), "seed \(seed)")
    let counts = try EventLog(at: place.url).counts()
    let retained = counts.filter { !$0.key.hasPrefix("4.0.0") }.values.sum()
    #expect(Int(retained) == all.count { $0.lines == nil }, "seed \(seed): \(counts)")
    #expect(try EventLog.verify(place.url).findings.map(\.problem) == [], "seed \(seed)")
  }
}

extension EventLog {
  /// Type, version, stream and payload of the entry at `position`.
  fileprivate func entry(_ position: Position) throws -> String? {
    guard let entry = try read({ (snapshot) throws(AnnalsError) in try snapshot.entry(at: position) }),
      case .payload(let payload) = entry.content
    else { return nil }
    return "\(entry.type) \(entry.version.map(\.description) ?? "-") \(entry.stream) \(try payload.json())"
  }
}
