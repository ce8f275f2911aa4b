import AnnalsTestSupport
import Foundation
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsLog
@testable import AnnalsMaintenance

@Schema(1, 0, 0) enum DeepEventsV1 {
  @Value indirect enum Expression: Equatable {
    case nothing
    case minus(Expression)
    case sum([Expression])
  }
  @Record struct Entered: Equatable {
    var formula: Expression
    var rest: AnyValue?
  }
}

enum DeepEventsPlan: SchemaMigrationPlan {
  static var stages: MigrationChain<DeepEventsV1, DeepEventsV1> {}
}

/// Events that nest deeper by name than by shape.
@Suite struct DeepEventTests {
  typealias Entered = DeepEventsV1.Entered
  typealias Expression = DeepEventsV1.Expression

  /// An event whose payload by shape has `levels` levels, one of them the record.
  private static func event(_ levels: Int, lists: Bool = false, rest: AnyValue? = nil) -> Entered {
    var formula = Expression.nothing
    var left = levels - 1
    while left > 0 {
      // A sum is a case and a list.
      let isSum = lists && left > 1
      formula = isSum ? .sum([formula]) : .minus(formula)
      left -= isSum ? 2 : 1
    }
    return Entered(formula: formula, rest: rest)
  }

  /// A value in `levels` arrays.
  private static func nested(_ levels: Int) -> AnyValue {
    (0..<levels).reduce(1) { value, _ in .array([value]) }
  }

  private static func events(in store: EventStore<DeepEventsPlan>) throws -> [Entered] {
    try store.read { snapshot in
      var entries = try snapshot.entries()
      var events: [Entered] = []
      while let entry = try entries.next() {
        guard case .entered(let event) = entry.event else { continue }
        events.append(event)
      }
      return events
    }
  }

  @Test func `the deepest events of a plan are dumped, imported and read in both stores`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: DeepEventsPlan.self)
    // The levels of the last are those of a field without a type of its own.
    let events = [
      Self.event(32), Self.event(33), Self.event(64), Self.event(63, lists: true),
      Self.event(64, lists: true), Self.event(2, rest: Self.nested(63)),
    ]
    try await store.append(events.map { .entered($0) }, to: "a")
    let lines = try store.log.lines()
    #expect(lines.count == events.count)
    #expect(try EventLog.verify(place.url).isClean)

    let other = try TemporaryStore()
    do {
      let log = try EventLog(at: other.url)
      #expect(try await log.importText(lines.joined(separator: "\n")).stored == UInt64(events.count))
      // The times are those of the dump, so whole lines are equal.
      #expect(try log.lines() == lines)
    }
    #expect(try EventLog.verify(other.url).isClean)
    let copy = try EventStore(at: other.url, plan: DeepEventsPlan.self)
    #expect(try Self.events(in: store) == events)
    #expect(try Self.events(in: copy) == events)
    #expect(try copy.log.lines() == lines)
  }

  @Test func `a store recognises the deepest events of its own dump`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: DeepEventsPlan.self)
    try await store.append([NewEvent(.entered(Self.event(2)), id: UUID())], to: "a")
    try await store.append([.entered(Self.event(64))], to: "a")
    let report = try await store.log.importText(store.log.lines().joined(separator: "\n"))
    #expect(report.stored == 0 && report.repeated == 2)
  }

  @Test func `one level more is refused on append`() async throws {
    let place = try TemporaryStore()
    let store = try EventStore(at: place.url, plan: DeepEventsPlan.self)
    for event in [Self.event(65), Self.event(66, lists: true), Self.event(2, rest: Self.nested(64))] {
      let failure = await error { () async throws(AnnalsError) in
        try await store.append([.entered(event)], to: "a")
      }
      #expect((failure?.underlying as? CodingFailure)?.reason == .tooDeep)
    }
    #expect(try store.log.lines().isEmpty)
  }

  @Test func `an untyped payload has at most 132 levels, and its line can be imported`() async throws {
    let place = try TemporaryStore()
    let log = try EventLog(at: place.url)
    try await log.append(
      [NewEntry(type: "Any", version: nil, payload: try Payload(["n": Self.nested(131)]))], to: "a")
    #expect(throws: AnnalsError.self) { try Payload(["n": Self.nested(132)]) }
    let other = try TemporaryStore()
    let copy = try EventLog(at: other.url)
    try await copy.importText(log.lines().joined(separator: "\n"))
    #expect(try copy.lines() == log.lines())
    #expect(try EventLog.verify(other.url).isClean)
  }
}
