#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an append's verdict depends on: one snapshot of the store.
protocol AppendState: ~Escapable {
  /// Why the snapshot could not be read.
  associatedtype Failure: Error

  /// How many of a stream's newest entries are searched for an id.
  var window: UInt64 { get }

  /// The head of `stream`, `nil` where it holds no entry.
  func head(of stream: StreamName) throws(Failure) -> Head?

  /// Where the entries of a stream with these revisions stand, and their ids; the oldest first.
  func identities(of head: Head, _ revisions: ClosedRange<UInt64>) throws(Failure) -> [EntryIdentity]
}

/// Where an entry stands, and the id that its caller gave.
struct EntryIdentity: Equatable, Sendable {
  var position: Position
  var revision: Revision
  var id: UUID?
}

/// What becomes of an append call.
enum AppendVerdict: Sendable {
  /// The events are new and may be stored behind these heads (absent: a new stream).
  case accepted(heads: [StreamName: Head])
  /// The events are in the log already, at these places, in the call's order.
  case repeated([EntryIdentity])
  /// An id stands twice in the call for one stream.
  case duplicateID(UUID, StreamName)
  /// Only some of the events are in the log: the id is in the stream, or its neighbours are not.
  case partlyThere(UUID, StreamName)
  /// Expectations did not hold.
  case conflict([Violation])
}

/// Decides append calls, as a pure function of the call and one snapshot: no clock, no randomness, no machine.
enum AppendDecision {
  /// The verdict on `request` in `state`.
  ///
  /// A repeated call is recognised before its expectations are compared, because the first one has changed what
  /// they speak of. It is recognised by the first of its streams whose events have ids; the others must agree.
  static func decide<State: AppendState & ~Escapable>(
    _ request: AppendRequest, in state: borrowing State
  ) throws(State.Failure) -> AppendVerdict {
    var heads: [StreamName: Head] = [:]
    var known: Set<StreamName> = []
    for part in request.parts where known.insert(part.stream).inserted {
      if let head = try state.head(of: part.stream) { heads[part.stream] = head }
    }
    if request.parts.contains(where: { $0.events.contains { $0.id != nil } }) {
      let (events, order) = grouped(request)
      if let (stream, id) = firstDuplicate(events, order) { return .duplicateID(id, stream) }
      if let verdict = try repetition(events, order, heads, request, in: state) { return verdict }
    }
    var violations: [Violation] = []
    for part in request.parts where !part.expectation.holds(for: heads[part.stream]?.revision) {
      violations.append(
        Violation(
          stream: part.stream, expected: part.expectation, actual: heads[part.stream]?.revision))
    }
    return violations.isEmpty ? .accepted(heads: heads) : .conflict(violations)
  }

  /// The events of each stream, and the streams that have any in the order of the call.
  private static func grouped(
    _ request: AppendRequest
  ) -> (events: [StreamName: [AppendRequest.Event]], order: [StreamName]) {
    var events: [StreamName: [AppendRequest.Event]] = [:]
    var order: [StreamName] = []
    for part in request.parts where !part.events.isEmpty {
      if events[part.stream] == nil { order.append(part.stream) }
      events[part.stream, default: []] += part.events
    }
    return (events, order)
  }

  private static func firstDuplicate(
    _ events: [StreamName: [AppendRequest.Event]], _ order: [StreamName]
  ) -> (StreamName, UUID)? {
    for stream in order {
      var seen: Set<UUID> = []
      for event in events[stream, default: []] {
        if let id = event.id, !seen.insert(id).inserted { return (stream, id) }
      }
    }
    return nil
  }

  /// The verdict on a call that is in the log already, in whole or in part; `nil` for a new one.
  private static func repetition<State: AppendState & ~Escapable>(
    _ events: [StreamName: [AppendRequest.Event]], _ order: [StreamName], _ heads: [StreamName: Head],
    _ request: AppendRequest, in state: borrowing State
  ) throws(State.Failure) -> AppendVerdict? {
    var places: [StreamName: ArraySlice<EntryIdentity>] = [:]
    var first: (id: UUID, stream: StreamName, isRepeated: Bool)?
    for stream in order {
      let events = events[stream, default: []]
      guard let anyID = events.lazy.compactMap(\.id).first else { continue }
      switch try recognise(events, behind: heads[stream], in: state) {
      case .partly(let id): return .partlyThere(id, stream)
      case .new:
        if let first, first.isRepeated { return .partlyThere(first.id, first.stream) }
        first = first ?? (anyID, stream, false)
      case .repeated(let identities):
        if let first, !first.isRepeated { return .partlyThere(anyID, stream) }
        first = first ?? (anyID, stream, true)
        places[stream] = identities[...]
      }
    }
    guard let first, first.isRepeated else { return nil }
    var identities: [EntryIdentity] = []
    for part in request.parts {
      for _ in part.events {
        // A stream without ids cannot be recognised, so a call that repeats only its neighbours is not whole.
        guard let place = places[part.stream]?.popFirst() else {
          return .partlyThere(first.id, first.stream)
        }
        identities.append(place)
      }
    }
    return .repeated(identities)
  }

  private enum Recognition {
    case new
    case repeated([EntryIdentity])
    case partly(UUID)
  }

  /// Whether `events` of one stream are in the log behind `head`.
  private static func recognise<State: AppendState & ~Escapable>(
    _ events: [AppendRequest.Event], behind head: Head?, in state: borrowing State
  ) throws(State.Failure) -> Recognition {
    guard let head, let newest = head.newestID, head.revision.rawValue - newest.rawValue < state.window else {
      return .new
    }
    let last = head.revision.rawValue
    let oldest = last < state.window ? 0 : last - state.window + 1
    var found: [UUID: Revision] = [:]
    for identity in try state.identities(of: head, oldest...last) {
      if let id = identity.id { found[id] = identity.revision }
    }
    guard let index = events.lastIndex(where: { $0.id != nil }), let id = events[index].id else {
      return .new
    }
    guard let revision = found[id] else {
      let there = events.lazy.compactMap(\.id).first { found[$0] != nil }
      return there.map { .partly($0) } ?? .new
    }
    let after = UInt64(events.count - 1 - index)
    guard revision.rawValue >= UInt64(index), last - revision.rawValue >= after else { return .partly(id) }
    let identities = try state.identities(
      of: head, revision.rawValue - UInt64(index)...revision.rawValue + after)
    guard zip(identities, events).allSatisfy({ $0.id == $1.id }) else { return .partly(id) }
    return .repeated(identities)
  }
}
