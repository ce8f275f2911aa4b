import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import LMDB

/// Aggregates of a store that a repair has taken lost entries from.
@Suite struct RepairedAggregateTests {
  @Schema(1, 0, 0) enum V1 { @Record struct Draw: Equatable { var n: Int } }
  enum Draws: SchemaMigrationPlan { static var stages: MigrationChain<V1, V1> {} }
  enum Sum: Aggregate {
    typealias Event = V1.Event
    @Record struct State: Equatable { var sum: Int }

    static let name = "sum"
    static let version = 1
    static var initial: State { State(sum: 0) }
    static var snapshotInterval: Int? { 10 }
    static func apply(_ entry: Entry<Event>, to state: inout State) {
      if case .draw(let draw) = entry.event { state.sum += draw.n }
    }
  }

  /// Damages the entry at a position.
  private func spoil(_ position: UInt64, in place: TemporaryStore) throws {
    let generations = Generations(place)
    var bytes = try generations.read(1) { (reader) throws(AnnalsError) in
      try reader.bytes(at: Position(position)).copied
    }
    bytes[bytes.count - 1] ^= 0x40
    try generations.change(1) { (transaction, tables) throws(EnvironmentError) in
      try transaction.put(bytes.span, forKey: position, in: tables.entries)
    }
  }

  @Test func `a state that includes a lost entry is folded again after the repair`() async throws {
    let place = try TemporaryStore()
    do {
      let store = try EventStore(at: place.url, plan: Draws.self)
      try await store.append((1...12).map { .draw(.init(n: $0)) }, to: "a")
      #expect(try store.load(Sum.self, from: "a").state.sum == 78)
    }
    try spoil(3, in: place)
    #expect(try EventLog.repair(place.url).entries.map(\.position) == [3])
    do {
      let store = try EventStore(at: place.url, plan: Draws.self)
      let loaded = try store.load(Sum.self, from: "a")
      #expect(loaded.state.sum == 75 && loaded.folded == 11)
      #expect(try store.load(Sum.self, from: "a").folded == 0)
    }
  }
}
