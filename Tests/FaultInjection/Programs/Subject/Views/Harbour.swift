package import Annals
import AnnalsTestSupport
package import Foundation

/// The events of a harbour. Views are folded from them in processes whose power is cut.
@Schema(1, 0, 0) package enum HarbourV1 {
  @Record package struct Loaded: Equatable {
    package var ship: String
    package var tonnes: Int
    package var note: String
  }
  /// An event that the view ignores.
  @Record package struct Inspected: Equatable { package var ship: String }
}

/// The plan of the harbour.
package enum Harbour: SchemaMigrationPlan {
  package static var stages: MigrationChain<HarbourV1, HarbourV1> {}
}

/// One call to the store of the harbour; all of it follows from the workload's seed and the call's number.
package struct HarbourCall: Sendable {
  package let number: Int
  package let stream: StreamName
  package let events: [NewEvent<HarbourV1.Event>]

  package init(_ number: Int, seed: UInt64) throws(AnnalsError) {
    self.number = number
    var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    let count =
      number % 5 == 4 ? Int.random(in: 8...20, using: &random) : Int.random(in: 1...8, using: &random)
    stream = StreamName("quay \(Int.random(in: 0..<5, using: &random))")
    events = (0..<count).map { _ in
      let ship = "ship \(Int.random(in: 0..<60, using: &random))"
      let text = String(repeating: "x", count: Int.random(in: 0..<160, using: &random))
      let event: HarbourV1.Event =
        Int.random(in: 0..<5, using: &random) == 0
        ? .inspected(.init(ship: ship))
        : .loaded(.init(ship: ship, tonnes: Int.random(in: 1..<50, using: &random), note: text))
      return NewEvent(event, time: Self.time(of: number))
    }
  }

  /// The time of a call's events, which identifies the call.
  package static func time(of number: Int) -> Date { Date(timeIntervalSince1970: Double(number)) }

  /// The number of the call that an entry with this time belongs to.
  static func number(at time: Timestamp) -> Int { Int(clamping: time.microseconds / 1_000_000) }

  /// Stores the call's events in `store`.
  package func append(to store: EventStore<Harbour>) async throws(AnnalsError) -> Appended {
    try await store.append(events, to: stream)
  }
}

extension HarbourCall {
  /// Whether an entry is the event at `index` as it was appended.
  func stored(_ entry: Entry<HarbourV1.Event>, at index: Int) -> Bool {
    let event = events[index]
    guard entry.stream == stream, entry.time == event.time else { return false }
    return switch (entry.event, event.event) {
    case (.loaded(let left), .loaded(let right)): left == right
    case (.inspected(let left), .inspected(let right)): left == right
    default: false
    }
  }
}
