package import AnnalsCoding
internal import AnnalsFormat

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The state that an append's verdict depends on: one snapshot of the store.
protocol AppendState: ~Escapable {
  /// The error of a snapshot that cannot be read.
  associatedtype Failure: Error

  /// Returns the revisions of a stream's newest entries that have one of `ids`, as far back as the store
  /// recognises them.
  func revisions(of ids: [UUID], in end: StreamEnd) throws(Failure) -> [UUID: Revision]

  /// Returns the end of the stream of the call's part at `index`; `nil` if it holds no entry.
  func end(ofPart index: Int) -> StreamEnd?

  /// Returns what of the stream of the call's part at `index` can be read and written.
  func limit(ofPart index: Int) throws(Failure) -> StreamLimit

  /// Returns the streams that entries of the stream of the call's part at `index` have moved to; one that
  /// holds an entry with one of `ids` comes first.
  func moved(ofPart index: Int, holding ids: [UUID]) throws(Failure) -> [StreamName]

  /// Returns the position up to which the stream called `name` may hold entries of several streams that a
  /// pass has merged; `nil` if all are of one.
  func mergedUpTo(_ name: StreamName) throws(Failure) -> Position?

  /// Returns the positions and ids of the entries of a stream with these revisions, oldest first.
  func identities(of end: StreamEnd, _ revisions: ClosedRange<UInt64>) throws(Failure) -> [EntryIdentity]

  /// Returns the first entry that matches a condition of the call; `nil` if none does.
  func firstMatch() throws(Failure) -> ConditionMatch?
}

extension AppendState where Self: ~Escapable {
  func firstMatch() throws(Failure) -> ConditionMatch? { nil }
}

/// The position of an entry, and the id that its caller gave.
package struct EntryIdentity: Equatable, Sendable {
  package var position: Position
  package var revision: Revision
  package var id: UUID?

  package init(position: Position, revision: Revision, id: UUID? = nil) {
    self.position = position
    self.revision = revision
    self.id = id
  }
}

/// The verdict on an append call.
package enum AppendVerdict: Sendable {
  /// The events are new and may be stored.
  case accepted
  /// The events are in the log already, at these places, in the call's order.
  case repeated([EntryIdentity])
  /// An id occurs twice in the call for one stream.
  case duplicateID(UUID, StreamName)
  /// Only some of the events are in the log: either the id is in the stream, or the events next to it are
  /// not.
  case partialDuplicate(UUID, StreamName)
  /// The call names a stream whose entries have moved to others, and expects something of it, or has events
  /// with ids, which may have been stored before they moved.
  case moved(StreamName, to: [StreamName])
  /// The id is in the stream, which a pass has merged from several, so the owner of the id is not known.
  case merged(UUID, StreamName)
  /// The stream takes no events.
  case closed(StreamName)
  /// Expectations did not hold.
  case conflict([Violation])
  /// An entry matches a query that none may match.
  case matched(ConditionMatch)
}

/// Decides append calls, as a pure function of the call and one snapshot: no clock, no randomness, no
/// machine.
enum AppendDecision {
  /// Returns the verdict on `request` in `state`.
  ///
  /// A repeated call is recognised before its expectations are compared, because the first call has changed
  /// the streams. It is recognised by the first of its streams whose events have ids; the others must agree.
  static func decide<State: AppendState & ~Escapable>(
    _ request: AppendRequest, in state: borrowing State
  ) throws(State.Failure) -> AppendVerdict {
    if request.hasIDs {
      let (groups, order) = grouped(request)
      if let (stream, id) = firstDuplicate(groups, order) { return .duplicateID(id, stream) }
      if let verdict = try repetition(groups, order, request, in: state) { return verdict }
    }
    for (index, part) in request.parts.enumerated() where !part.items.isEmpty {
      if try state.limit(ofPart: index).isClosed { return .closed(part.stream) }
    }
    if let verdict = try violations(of: request, in: state) { return verdict }
    guard !request.conditions.isEmpty, let match = try state.firstMatch() else { return .accepted }
    return .matched(match)
  }

  /// Returns the verdict on a call whose expectations do not hold; `nil` if all do.
  private static func violations<State: AppendState & ~Escapable>(
    of request: AppendRequest, in state: borrowing State
  ) throws(State.Failure) -> AppendVerdict? {
    guard request.hasExpectations else { return nil }
    var violations: [Violation] = []
    for (index, part) in request.parts.enumerated() where part.expectation != .any {
      let actual = state.end(ofPart: index)?.revision
      if actual == nil {
        // A caller that expects a new stream, or the old one, does not know of the move.
        let moved = try state.moved(ofPart: index, holding: [])
        if !moved.isEmpty { return .moved(part.stream, to: moved) }
      }
      var isEmptied = false
      if let actual { isEmptied = try state.limit(ofPart: index).empties(actual) }
      guard !part.expectation.holds(for: actual, isEmptied: isEmptied) else { continue }
      violations.append(Violation(stream: part.stream, expected: part.expectation, actual: actual))
    }
    return violations.isEmpty ? nil : .conflict(violations)
  }

  /// The events of one stream, and a part of the call that names it.
  private struct Group {
    let part: Int
    var events: [AppendRequest.Item] = []
  }

  /// The events of each stream, and the streams that have any in the order of the call.
  private static func grouped(
    _ request: AppendRequest
  ) -> (groups: [StreamName: Group], order: [StreamName]) {
    var groups: [StreamName: Group] = [:]
    var order: [StreamName] = []
    for (index, part) in request.parts.enumerated() where !part.items.isEmpty {
      if groups[part.stream] == nil { order.append(part.stream) }
      groups[part.stream, default: Group(part: index)].events += request.items(of: part)
    }
    return (groups, order)
  }

  private static func firstDuplicate(
    _ groups: [StreamName: Group], _ order: [StreamName]
  ) -> (StreamName, UUID)? {
    for stream in order {
      var seen: Set<UUID> = []
      for event in groups[stream]?.events ?? [] {
        if let id = event.id, !seen.insert(id).inserted { return (stream, id) }
      }
    }
    return nil
  }

  /// Returns the verdict on a call that is in the log already, in whole or in part; `nil` for a new one.
  private static func repetition<State: AppendState & ~Escapable>(
    _ groups: [StreamName: Group], _ order: [StreamName], _ request: AppendRequest,
    in state: borrowing State
  ) throws(State.Failure) -> AppendVerdict? {
    var places: [StreamName: ArraySlice<EntryIdentity>] = [:]
    var first: (id: UUID, stream: StreamName, isRepeated: Bool)?
    for stream in order {
      guard let group = groups[stream], let anyID = group.events.lazy.compactMap(\.id).first else { continue }
      switch try recognise(group.events, of: stream, ofPart: group.part, in: state) {
      case .merged(let id): return .merged(id, stream)
      case .partly(let id): return .partialDuplicate(id, stream)
      case .moved(let names): return .moved(stream, to: names)
      case .new:
        if let first, first.isRepeated { return .partialDuplicate(first.id, first.stream) }
        first = first ?? (anyID, stream, false)
      case .repeated(let identities):
        if let first, !first.isRepeated { return .partialDuplicate(anyID, stream) }
        first = first ?? (anyID, stream, true)
        places[stream] = identities[...]
      }
    }
    guard let first, first.isRepeated else { return nil }
    var identities: [EntryIdentity] = []
    for part in request.parts {
      for _ in part.items {
        // A stream without ids cannot be recognised, so a call that repeats only the streams next to it is
        // not whole.
        guard let place = places[part.stream]?.popFirst() else {
          return .partialDuplicate(first.id, first.stream)
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
    /// The id is in the stream, which was merged from several.
    case merged(UUID)
    /// The stream holds nothing, and its entries have moved to these streams.
    case moved([StreamName])
  }

  /// Whether `events` of a part's stream are in the log.
  ///
  /// A stream that holds nothing, but whose entries have moved, may have held the events: no other stream is
  /// searched for their ids.
  private static func recognise<State: AppendState & ~Escapable>(
    _ events: [AppendRequest.Item], of stream: StreamName, ofPart index: Int, in state: borrowing State
  ) throws(State.Failure) -> Recognition {
    guard let end = state.end(ofPart: index) else {
      let names = try state.moved(ofPart: index, holding: events.compactMap(\.id))
      return names.isEmpty ? .new : .moved(names)
    }
    let recognition = try recognise(events, after: end, in: state)
    if case .repeated(let identities) = recognition,
      let id = try firstMerged(identities, stream, in: state)
    {
      return .merged(id)
    }
    return recognition
  }

  /// Returns the id of the first entry that may be an event of another stream, which a pass has merged with
  /// this one.
  private static func firstMerged<State: AppendState & ~Escapable>(
    _ identities: [EntryIdentity], _ stream: StreamName, in state: borrowing State
  ) throws(State.Failure) -> UUID? {
    guard let end = try state.mergedUpTo(stream) else { return nil }
    return identities.first { $0.position <= end && $0.id != nil }?.id
  }

  /// Whether `events` are in the stream that ends at `end`.
  private static func recognise<State: AppendState & ~Escapable>(
    _ events: [AppendRequest.Item], after end: StreamEnd, in state: borrowing State
  ) throws(State.Failure) -> Recognition {
    let last = end.revision.rawValue
    let found = try state.revisions(of: events.compactMap(\.id), in: end)
    if found.isEmpty { return .new }
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
      of: end, revision.rawValue - UInt64(index)...revision.rawValue + after)
    guard zip(identities, events).allSatisfy({ $0.id == $1.id }) else { return .partly(id) }
    return .repeated(identities)
  }
}
