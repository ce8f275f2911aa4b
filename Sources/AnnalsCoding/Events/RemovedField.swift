/// A field that a migration pass has removed from stored events.
///
/// It was declared in an older version and is gone in a newer one, or no version of the plan declares it and it
/// was given up by name. Fields that a rename, a nest, a hoist or a widening carries on are not removed. What a
/// custom rule does with the fields of a record is not known, so that none of those is listed.
public struct RemovedField: Hashable, Codable, Sendable {
  /// The record name that the events were stored under.
  public let type: String
  /// The schema version that they were stored under, `nil` where they were stored without one.
  public let version: SchemaVersion?
  /// The names that lead to the field, the outermost first, as the events were stored. Elements of arrays and
  /// values of dictionaries have no name of their own.
  public let path: [String]
  /// The version of the plan that does not have the field any more; `nil` where no version of the plan
  /// declares it.
  public let removedIn: SchemaVersion?
  /// How many events had a value there: each part of an entry counts once, whatever number of values it had.
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
  /// The name, why the field is gone, how many events had it, and where the first one is.
  public var description: String {
    let stored = version.map { " of version \($0)" } ?? ""
    let cause = removedIn.map { "gone since \($0)" } ?? "undeclared"
    return
      "'\(name)'\(stored), \(cause), \(count) event\(count == 1 ? "" : "s"), the first at position \(firstPosition)"
  }
}
