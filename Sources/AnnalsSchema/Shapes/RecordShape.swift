internal import AnnalsCoding

/// What the payloads of a record look like: its fields in the order in which they are stored.
public struct RecordShape: Hashable, Sendable {
  /// The fields.
  public let fields: [FieldShape]

  /// The shape with these fields.
  public init(_ fields: [FieldShape]) {
    self.fields = fields
  }

  /// The shape of the type `type`; no fields where it is no record.
  init<Value: StoredValue>(of type: Value.Type) {
    var types = ShapeTypes()
    if case .record(let fields) = type.shape(in: &types) {
      self.fields = fields
    } else {
      fields = []
    }
  }
}
