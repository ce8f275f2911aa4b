internal import AnnalsCoding

/// A field of a record, or a value that a case holds, on disk.
public struct FieldShape: Sendable {
  /// The name on disk. Names are equal when their UTF-8 bytes are; a value without a label is called `_0`, `_1` and so on, by its place.
  public let name: String
  /// The name on disk that the field had in the version before, where that was another.
  public let originalName: String?
  /// What the field's value looks like.
  public let shape: ValueShape
  /// The Swift property, for constants that a stage gives; `nil` where the shape was read from a store.
  let path: (any Sendable & AnyKeyPath)?

  /// A field called `name`.
  public init(_ name: String, originalName: String? = nil, _ shape: ValueShape) {
    self.name = name
    self.originalName = originalName
    self.shape = shape
    path = nil
  }

  /// The field that `property` of a record is stored as.
  public init<Root, Value: StoredValue>(
    _ name: String, originalName: String? = nil, _ property: any Sendable & KeyPath<Root, Value>,
    in types: inout ShapeTypes
  ) {
    self.name = name
    self.originalName = originalName
    shape = Value.shape(in: &types)
    path = property
  }

  /// The field of a property whose type has no shape: it is stored by name, as its `Codable` code says. An optional may be missing, as any other.
  @_disfavoredOverload
  public init<Root, Value: Codable & Sendable>(
    _ name: String, originalName: String? = nil, _ property: any Sendable & KeyPath<Root, Value>,
    in types: inout ShapeTypes
  ) {
    self.name = name
    self.originalName = originalName
    shape = Value.self is any Nullable.Type ? .optional(.codable) : .codable
    path = property
  }
}

extension FieldShape: Hashable {
  /// Whether the fields are the same on disk.
  public static func == (left: FieldShape, right: FieldShape) -> Bool {
    ExactText(left.name) == ExactText(right.name)
      && left.originalName.map { ExactText($0) } == right.originalName.map { ExactText($0) }
      && left.shape == right.shape
  }

  /// Feeds what the field is on disk to `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(name))
    hasher.combine(originalName.map { ExactText($0) })
    hasher.combine(shape)
  }
}
