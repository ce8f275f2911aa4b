public import AnnalsCoding
internal import AnnalsLog
public import AnnalsSchema

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension StoreSnapshot {
  /// Returns the event with an event id in a stream; `nil` if there is none, or a rule drops it.
  ///
  /// If a rule splits the stored event, the first part is returned. ``entries(id:in:)`` returns all of them.
  ///
  /// ```swift
  /// let stored = try store.read { snapshot in try snapshot.entry(id: request, in: "account/a") }
  /// ```
  ///
  /// - Parameters:
  ///   - id: The id that the caller gave to the event.
  ///   - stream: The stream.
  /// - Throws: As ``StoreEntries/next()``, and ``AnnalsError`` with code `invalidName`.
  /// - Complexity: As ``LogSnapshot/entry(id:in:)``.
  public func entry(id: UUID, in stream: StreamName) throws(AnnalsError) -> Entry<Event>? {
    var entries = try entries(id: id, in: stream)
    return try entries.next()
  }

  /// Returns the events of the entry with an event id in a stream, in order: several if a rule splits it, and
  /// none if there is no such entry, or a rule drops it.
  ///
  /// - Parameters:
  ///   - id: The id that the caller gave to the event.
  ///   - stream: The stream.
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged` or `inputOutput`.
  /// - Complexity: As ``LogSnapshot/entry(id:in:)``.
  @_lifetime(borrow self)
  public func entries(id: UUID, in stream: StreamName) throws(AnnalsError) -> StoreEntries<Event> {
    let position = try log.position(ofID: id, in: stream)
    let steps = try log.steps(of: .log(from: position), backwards: false, limit: position == nil ? 0 : 1)
    return StoreEntries(try EntryCursor(log.reader, steps), upcaster, backwards: false, limit: .max)
  }
}
