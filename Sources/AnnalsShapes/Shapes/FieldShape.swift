internal import AnnalsCoding

/// A field of a record, or an associated value of a case, on disk.
public struct FieldShape: Sendable {
  /// The name on disk. Names are equal if their UTF-8 bytes are. A value without a label is called `_0`, `_1`
  /// and so on, by its place.
  public let name: String
  /// The field's name on disk in the previous version, if it differed.
  public let originalName: String?
  /// For a personal field, the name on disk of the field with the id of the person it belongs to; `nil` for
  /// any other.
  public let subject: String?
  /// For a personal field, the encoded value that is read after the person's key was dropped; `nil` if it has
  /// none, or the shape was read from a store.
  package let replacement: [UInt8]?
  /// The shape of the field's value.
  public let shape: ValueShape
  /// The Swift property, for constants of a stage; `nil` if the shape was read from a store.
  package let path: (any Sendable & AnyKeyPath)?

  /// Creates a field called `name`.
  public init(_ name: String, originalName: String? = nil, _ shape: ValueShape) {
    self.init(name, originalName: originalName, shape, subject: nil)
  }

  /// Creates a field called `name`, whose values are encrypted if it has a subject.
  init(_ name: String, originalName: String? = nil, _ shape: ValueShape, subject: String?) {
    self.name = name
    self.originalName = originalName
    self.shape = shape
    self.subject = subject
    replacement = nil
    path = nil
  }

  /// Creates the field for `property` of a record.
  public init<Root, Value: StoredValue>(
    _ name: String, originalName: String? = nil, _ property: any Sendable & KeyPath<Root, Value>,
    in types: inout ShapeTypes
  ) {
    self.name = name
    self.originalName = originalName
    shape = Value.shape(in: &types)
    path = property
    subject = nil
    replacement = nil
  }

  /// Creates the personal field for `property` of a record: its values are encrypted with the key of a
  /// person.
  ///
  /// - Parameters:
  ///   - name: The field's name on disk.
  ///   - originalName: Its name on disk in the previous version, if it differed.
  ///   - property: The property.
  ///   - subject: The name on disk of the field with the person's id.
  ///   - erased: The value that is read after the key was dropped.
  ///   - types: The types that are being described.
  public init<Root, Value: StoredValue>(
    _ name: String, originalName: String? = nil, _ property: any Sendable & KeyPath<Root, Value>,
    personal subject: String, erased: Value, in types: inout ShapeTypes
  ) {
    self.name = name
    self.originalName = originalName
    self.subject = subject
    shape = Value.shape(in: &types)
    path = property
    var writer = FieldWriter(continuing: [])
    var encoded: [UInt8]?
    do throws(CodingFailure) {
      try writer.field(erased)
      encoded = writer.finish()
    } catch {
      // The plan reports it as a field without a replacement.
    }
    replacement = encoded
  }

  /// Creates the field for a property whose type has no shape: it is stored by name, by its `Codable` code.
  /// An optional may be missing, like any other.
  @_disfavoredOverload
  public init<Root, Value: Codable & Sendable>(
    _ name: String, originalName: String? = nil, _ property: any Sendable & KeyPath<Root, Value>,
    in types: inout ShapeTypes
  ) {
    self.name = name
    self.originalName = originalName
    shape = Value.self is any Nullable.Type ? .optional(.codable) : .codable
    path = property
    subject = nil
    replacement = nil
  }
}

extension FieldShape: Hashable {
  /// Returns whether the fields are the same on disk.
  public static func == (left: FieldShape, right: FieldShape) -> Bool {
    ExactText(left.name) == ExactText(right.name)
      && left.originalName.map { ExactText($0) } == right.originalName.map { ExactText($0) }
      && left.subject.map { ExactText($0) } == right.subject.map { ExactText($0) }
      && left.shape == right.shape
  }

  /// Hashes the field's form on disk into `hasher`.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ExactText(name))
    hasher.combine(originalName.map { ExactText($0) })
    hasher.combine(subject.map { ExactText($0) })
    hasher.combine(shape)
  }
}
