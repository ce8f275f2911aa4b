public import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// All events of one version, from the oldest to the newest: what a stage's `prepare` and `verify` read.
///
/// It ends at the last entry that stood in the log when the work began, and has no events that were stored under a later version. The newer history of a
/// `verify` is what the older one becomes: it has no events that were stored under the newer version either. It cannot be kept.
public struct StageHistory<Event: SchemaEvent> {
  /// The id of the log.
  let log: UUID
  /// The cases whose events are read; `nil` for all.
  private var cases: Set<Int>?
  /// Whether a key path named no record.
  private var namesUnknown = false
  /// Where entries are reported that are passed over; `nil` where they end the reading.
  let quarantine: Quarantine?
  private let read: (Set<Int>?, (HistoryItem<Event>) throws -> Void) throws -> Void

  /// A history of the log with this id that hands what it has of some cases to the closure it is given.
  init(
    log: UUID, quarantine: Quarantine? = nil,
    _ read: @escaping (Set<Int>?, (HistoryItem<Event>) throws -> Void) throws -> Void
  ) {
    self.log = log
    self.quarantine = quarantine
    self.read = read
  }

  /// The events of some records alone.
  ///
  /// ```swift
  /// let joined = try history.selecting(\.memberJoined).firstPositions { entry -> String? in
  ///   if case .memberJoined(let event) = entry.event { event.member } else { nil }
  /// }
  /// ```
  ///
  /// Entries that can become none of these records are not decoded or upcast. So a rule that fails for them
  /// does not matter, and the reading takes less time.
  ///
  /// - Parameter records: The records, of the history's version.
  /// - Returns: A history that hands out their events and no others.
  public func selecting(_ records: PartialKeyPath<Event.Cases>...) -> StageHistory<Event> {
    var selected = self
    var numbers: Set<Int> = []
    for record in records {
      guard let named = Event.cases[keyPath: record] as? any NumberedCase else {
        selected.namesUnknown = true
        continue
      }
      numbers.insert(named.index)
    }
    selected.cases = cases.map { $0.intersection(numbers) } ?? numbers
    return selected
  }

  /// Hands each event to `body`, oldest first.
  ///
  /// - Parameter body: Takes an event. What it throws ends the reading.
  /// - Throws: What `body` throws, and ``AnnalsError`` for an entry that cannot be read. Where the store
  ///   was opened with ``StoreOptions/Unreadable/quarantine(_:)``, such an entry is reported and passed over
  ///   instead.
  /// - Complexity: O(log); it may be called more than once, and each time reads the log again.
  public func forEach(_ body: (Entry<Event>) throws -> Void) throws {
    try items(of: cases) { item in
      guard case .entry(let entry) = item else { return }
      if let cases, !cases.contains(entry.event.caseIndex) { return }
      try body(entry)
    }
  }

  /// Hands each event of an entry that can become one of `cases` to `body`, and each such entry that is
  /// passed over because it cannot be read.
  func items(of cases: Set<Int>?, _ body: (HistoryItem<Event>) throws -> Void) throws {
    if namesUnknown {
      throw AnnalsError(
        .invalidPlan,
        "'selecting' names what is no record of \(Event.self): name records by the properties of its Cases alone"
      )
    }
    try read(cases, body)
  }

  /// Gathers something from all events.
  ///
  /// - Parameters:
  ///   - result: What to begin with.
  ///   - body: Takes what is gathered so far, and an event.
  /// - Throws: As ``forEach(_:)``.
  public func reduce<Result>(
    into result: Result, _ body: (inout Result, Entry<Event>) throws -> Void
  ) throws -> Result {
    var result = result
    try forEach { try body(&result, $0) }
    return result
  }

  /// Where the first event stands that has each key.
  ///
  /// - Parameter key: The key of an event; `nil` for events that have none.
  /// - Throws: As ``forEach(_:)``.
  public func firstPositions<Key: Hashable>(
    by key: (Entry<Event>) throws -> Key?
  ) throws -> [Key: Position] {
    try reduce(into: [:]) { found, entry in
      guard let key = try key(entry), found[key] == nil else { return }
      found[key] = entry.position
    }
  }

  /// The positions of events whose key an earlier event has already.
  ///
  /// - Parameter key: The key of an event; `nil` for events that have none.
  /// - Throws: As ``forEach(_:)``.
  public func duplicates<Key: Hashable>(by key: (Entry<Event>) throws -> Key?) throws -> Set<Position> {
    var seen: Set<Key> = []
    return try reduce(into: []) { found, entry in
      guard let key = try key(entry), !seen.insert(key).inserted else { return }
      found.insert(entry.position)
    }
  }

  /// The positions of events that refer to something which no event of the log makes.
  ///
  /// - Parameters:
  ///   - references: What an event refers to.
  ///   - definition: What an event makes; `nil` for events that make nothing.
  /// - Throws: As ``forEach(_:)``.
  public func danglingReferences<Key: Hashable>(
    from references: (Entry<Event>) throws -> [Key], to definition: (Entry<Event>) throws -> Key?
  ) throws -> Set<Position> {
    let defined: Set<Key> = try reduce(into: []) { defined, entry in
      if let key = try definition(entry) { defined.insert(key) }
    }
    return try reduce(into: []) { found, entry in
      if try references(entry).contains(where: { !defined.contains($0) }) { found.insert(entry.position) }
    }
  }
}

@available(*, unavailable) extension StageHistory: Sendable {}

/// What a whole log is read as.
package enum HistoryItem<Event: SchemaEvent> {
  /// An event.
  case entry(Entry<Event>)
  /// An entry that is passed over because it cannot be read.
  case passedOver(QuarantinedEntry)
}
