public import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// All events of one version, from the oldest to the newest, as read by a stage's `prepare` and `verify`.
///
/// It ends at the last entry that was in the log when the work began, and has no events stored under a later
/// version. The newer history of a `verify` is the converted form of the older one: it also has no events
/// stored under the newer version. A history cannot be kept.
public struct StageHistory<Event: SchemaEvent> {
  /// The id of the log.
  let log: UUID
  /// The selected cases; `nil` for all.
  private var cases: Set<Int>?
  /// Whether a key path named no record.
  private var namesUnknown = false
  /// The destination for reports of skipped entries; `nil` if such an entry ends the read.
  let quarantine: Quarantine?
  private let read: (Set<Int>?, (HistoryItem<Event>) throws -> Void) throws -> Void

  /// Creates a history of the log with this id. The closure reads the events of some cases.
  init(
    log: UUID, quarantine: Quarantine? = nil,
    _ read: @escaping (Set<Int>?, (HistoryItem<Event>) throws -> Void) throws -> Void
  ) {
    self.log = log
    self.quarantine = quarantine
    self.read = read
  }

  /// Returns a history with only the events of some records.
  ///
  /// ```swift
  /// let joined = try history.selecting(\.memberJoined).firstPositions { entry -> String? in
  ///   if case .memberJoined(let event) = entry.event { event.member } else { nil }
  /// }
  /// ```
  ///
  /// Entries that cannot become any of these records are not decoded or upcast, so a rule that fails for them
  /// does not matter, and the read takes less time.
  ///
  /// - Parameter records: The records, of the history's version.
  /// - Returns: A history that has only their events.
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

  /// Calls `body` with each event, oldest first.
  ///
  /// - Parameter body: Handles an event. An error it throws ends the read.
  /// - Throws: Any error that `body` throws, and ``AnnalsError`` for an entry that cannot be read. If the
  ///   store was opened with ``StoreOptions/Unreadable/quarantine(_:)``, such an entry is reported and
  ///   skipped instead.
  /// - Complexity: O(log); it may be called more than once, and each time reads the log again.
  public func forEach(_ body: (Entry<Event>) throws -> Void) throws {
    try items(of: cases) { item in
      guard case .entry(let entry) = item else { return }
      if let cases, !cases.contains(entry.event.caseIndex) { return }
      try body(entry)
    }
  }

  /// Calls `body` with each event of an entry that can become one of `cases`, and with each such entry that
  /// is skipped because it cannot be read.
  func items(of cases: Set<Int>?, _ body: (HistoryItem<Event>) throws -> Void) throws {
    if namesUnknown {
      throw AnnalsError(
        .invalidPlan,
        "'selecting' names what is no record of \(Event.self): name records by the properties of its Cases alone"
      )
    }
    try read(cases, body)
  }

  /// Combines all events into one result.
  ///
  /// - Parameters:
  ///   - result: The initial value.
  ///   - body: Updates the result so far with an event.
  /// - Throws: As ``forEach(_:)``.
  public func reduce<Result>(
    into result: Result, _ body: (inout Result, Entry<Event>) throws -> Void
  ) throws -> Result {
    var result = result
    try forEach { try body(&result, $0) }
    return result
  }

  /// Returns the position of the first event with each key.
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

  /// Returns the positions of events whose key an earlier event already has.
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

  /// Returns the positions of events that refer to something that no event of the log defines.
  ///
  /// - Parameters:
  ///   - references: Returns the things that an event refers to.
  ///   - definition: Returns the thing that an event defines; `nil` if it defines none.
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

/// An item in the history of a whole log.
package enum HistoryItem<Event: SchemaEvent> {
  /// An event.
  case entry(Entry<Event>)
  /// An entry that is skipped because it cannot be read.
  case passedOver(QuarantinedEntry)
}
