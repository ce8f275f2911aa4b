/// A field that a migration pass has removed from stored events.
///
/// An older version declared the field and a newer one does not, or no version of the plan declares it and
/// its removal was requested by name. Fields kept by a rename, a nest, a hoist or a widening are not removed.
/// None of the fields that a custom rule reads is listed, because the library cannot know how the rule uses
/// them.
public struct RemovedField: Hashable, Codable, Sendable {
  /// The record name that the events were stored under.
  public let type: String
  /// The schema version that they were stored under; `nil` if they were stored without one.
  public let version: SchemaVersion?
  /// The path of names to the field, outermost first, as the events were stored. Elements of arrays and
  /// values of dictionaries have no name of their own.
  public let path: [String]
  /// The version of the plan that no longer has the field; `nil` if no version of the plan declares it.
  public let removedIn: SchemaVersion?
  /// The number of events with a value there. Each part of an entry counts once, regardless of its number of
  /// values.
  public let count: UInt64
  /// The position of the first one.
  public let firstPosition: Position

  package init(
    type: String, version: SchemaVersion?, path: [String], removedIn: SchemaVersion?, count: UInt64,
    firstPosition: Position
  ) {
    self.type = type
    self.version = version
    self.path = path
    self.removedIn = removedIn
    self.count = count
    self.firstPosition = firstPosition
  }

  /// The field's name, `TYPE.KEY` or `TYPE.outer.inner`, written as ``UndeclaredField/name`` is.
  public var name: String { UndeclaredField.name(type: type, path: path) }
}

extension RemovedField: CustomStringConvertible {
  /// The name, the reason for the removal, the number of events, and the position of the first one.
  public var description: String {
    let stored = version.map { " of version \($0)" } ?? ""
    let cause = removedIn.map { "gone since \($0)" } ?? "undeclared"
    return
      "'\(name)'\(stored), \(cause), \(count) event\(count == 1 ? "" : "s"), the first at position \(firstPosition)"
  }
}
