internal import AnnalsCoding

/// The shape of a record's payloads: its fields in the order in which they are stored.
public struct RecordShape: Hashable, Sendable {
  /// The fields.
  public let fields: [FieldShape]

  /// Creates the shape with these fields.
  public init(_ fields: [FieldShape]) {
    self.fields = fields
  }

  /// Creates the shape of the type `type`; without fields if it is no record.
  package init<Value: StoredValue>(of type: Value.Type) {
    var types = ShapeTypes()
    if case .record(let fields) = type.shape(in: &types) {
      self.fields = fields
    } else {
      fields = []
    }
  }
}
