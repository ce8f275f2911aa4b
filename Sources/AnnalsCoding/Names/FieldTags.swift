/// The tags that the fields of one record add to its event, as collected by code that `@Record` writes.
public struct FieldTags: Sendable {
  private var tags: [EventTag] = []

  /// Creates an empty list.
  public init() {}

  /// The tags in the order of their bytes, each once.
  public var all: [EventTag] {
    guard tags.count > 1 else { return tags }
    var sorted: [EventTag] = []
    sorted.reserveCapacity(tags.count)
    for tag in tags.sorted() where sorted.last != tag { sorted.append(tag) }
    return sorted
  }

  /// Adds the tag `name:value`.
  public mutating func add(_ name: String, _ value: some TagValue) {
    tags.append(EventTag(name, value))
  }

  /// Adds the tag `name:value`, or none for `nil`.
  public mutating func add<Value: TagValue>(_ name: String, _ value: Value?) {
    if let value { add(name, value) }
  }

  /// Adds a tag for each of the values, such as those of an array or a set.
  public mutating func add<Values: Sequence>(_ name: String, _ values: Values)
  where Values.Element: TagValue {
    for value in values { add(name, value) }
  }

  /// Adds a tag for each of the values, or none for `nil`.
  public mutating func add<Values: Sequence>(_ name: String, _ values: Values?)
  where Values.Element: TagValue {
    if let values { add(name, values) }
  }

  /// Adds one tag for a value that is a sequence too, such as `Data`: the value is the tag, not its elements.
  public mutating func add<Value: TagValue & Sequence>(_ name: String, _ value: Value)
  where Value.Element: TagValue {
    tags.append(EventTag(name, value))
  }

  /// Adds the tag of a value that is a sequence too, or none for `nil`.
  public mutating func add<Value: TagValue & Sequence>(_ name: String, _ value: Value?)
  where Value.Element: TagValue {
    if let value { tags.append(EventTag(name, value)) }
  }

  /// Not available: the value's type is no ``TagValue``.
  @available(
    *, unavailable,
    message:
      "this field's type cannot be a tag: use a text, number, UUID, Date, an enum with a raw value that says ': TagValue', or an optional, array or set of these"
  )
  @_disfavoredOverload
  public mutating func add<Value>(_ name: String, _ value: Value) {}
}
