#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// All events of one version, from the oldest to the newest: what a stage's `prepare` and `verify` read.
///
/// It ends at the last entry that stood in the log when the work began, and has no events that were stored under a later version. The newer history of a
/// `verify` is what the older one becomes: it has no events that were stored under the newer version either. It cannot be kept.
public struct StageHistory<Event: SchemaEvent> {
  /// The id of the log.
  let log: UUID
  private let read: ((Entry<Event>) throws -> Void) throws -> Void

  /// A history of the log with this id that hands its entries to the closure it is given.
  package init(log: UUID, _ read: @escaping ((Entry<Event>) throws -> Void) throws -> Void) {
    self.log = log
    self.read = read
  }

  /// Hands each event to `body`, oldest first.
  ///
  /// - Parameter body: Takes an event. What it throws ends the reading.
  /// - Throws: What `body` throws, and ``AnnalsError`` for an entry that cannot be read.
  /// - Complexity: O(log); it may be called more than once, and each time reads anew.
  public func forEach(_ body: (Entry<Event>) throws -> Void) throws {
    try read(body)
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
