import Foundation

/// The log as an array: the oracle that says what a store must answer.
struct ArrayModel {
  struct Event: Equatable {
    var type: String
    var version: SchemaVersion?
    var payload: [UInt8]
    var id: UUID?
  }

  struct Stored: Equatable {
    var stream: StreamName
    var revision: UInt64
    var event: Event
  }

  struct Part {
    var stream: StreamName
    var expectation: Expectation
    var events: [Event]
  }

  enum Outcome: Equatable {
    case stored([UInt64])
    case repeated([UInt64])
    case duplicateID(UUID)
    case partialDuplicate
    case conflict([Violation])
  }

  /// How many of a stream's newest entries are searched for an id.
  var window = 64

  /// Every entry; the one at index i has position i + 1.
  private(set) var entries: [Stored] = []

  /// The positions of a stream's entries, the oldest first.
  func positions(of stream: StreamName) -> [Int] {
    entries.indices.filter { entries[$0].stream == stream }.map { $0 + 1 }
  }

  mutating func append(_ parts: [Part]) -> Outcome {
    let streams = parts.filter { !$0.events.isEmpty }.map(\.stream)
    let order = streams.indices.filter { !streams[..<$0].contains(streams[$0]) }.map { streams[$0] }
    func events(_ stream: StreamName) -> [Event] { parts.filter { $0.stream == stream }.flatMap(\.events) }
    for stream in order {
      let ids = events(stream).compactMap(\.id)
      for (index, id) in ids.enumerated() where ids[..<index].contains(id) { return .duplicateID(id) }
    }
    var found: [StreamName: [Int]] = [:]
    var verdicts: [Bool] = []
    for stream in order where events(stream).contains(where: { $0.id != nil }) {
      let new = events(stream)
      let old = positions(of: stream)
      let window = old.suffix(window)
      let last = new.lastIndex { $0.id != nil } ?? 0
      if let index = window.lastIndex(where: { entries[$0 - 1].event.id == new[last].id }) {
        let start = index - last
        guard start >= 0, start + new.count <= old.count else { return .partialDuplicate }
        let there = Array(old[start..<start + new.count])
        guard there.map({ entries[$0 - 1].event.id }) == new.map(\.id) else { return .partialDuplicate }
        found[stream] = there
        verdicts.append(true)
      } else {
        let ids = new.compactMap(\.id)
        if window.contains(where: { position in ids.contains { $0 == entries[position - 1].event.id } }) {
          return .partialDuplicate
        }
        verdicts.append(false)
      }
      if verdicts.last != verdicts.first { return .partialDuplicate }
    }
    if verdicts.first == true {
      guard order.allSatisfy({ found[$0] != nil }) else { return .partialDuplicate }
      var positions: [UInt64] = []
      for part in parts {
        for _ in part.events { positions.append(UInt64(found[part.stream, default: []].removeFirst())) }
      }
      return .repeated(positions)
    }
    var violations: [Violation] = []
    for part in parts {
      let count = positions(of: part.stream).count
      let holds =
        switch part.expectation {
        case .any: true
        case .noStream: count == 0
        case .exists: count > 0
        case .revision(let revision): count > 0 && UInt64(count - 1) == revision.rawValue
        }
      if !holds {
        violations.append(
          Violation(
            stream: part.stream, expected: part.expectation,
            actual: count == 0 ? nil : Revision(UInt64(count - 1))))
      }
    }
    if !violations.isEmpty { return .conflict(violations) }
    var stored: [UInt64] = []
    for part in parts {
      for event in part.events {
        entries.append(
          Stored(stream: part.stream, revision: UInt64(positions(of: part.stream).count), event: event))
        stored.append(UInt64(entries.count))
      }
    }
    return .stored(stored)
  }
}
