internal import AnnalsCoding

/// A stage's declaration about one field that cannot be derived from the shapes.
///
/// Fields are named by their path in the newer shape: their own name, or for a field of a nested record the
/// names joined by dots.
package enum FieldAdjustment: Hashable, Sendable {
  /// A new field gets this value, given as the bytes of its payload form.
  case constant(field: String, bytes: [UInt8])
  /// A value becomes an array with one element.
  case wrap(String)
  /// Fields of the older record move into this new nested record, found by their names or original names.
  case plunge(String)
  /// This new field moves out of the older nested record `from`, where it is found by its name or original
  /// name.
  case hoist(String, from: String)
  /// This field of the older shape was removed on purpose: no new field is the same under another name.
  case acknowledge(removed: String)

  /// This field of the older shape and this one of the newer shape are two fields, although one disappears
  /// where the other appears.
  case unrelated(old: String, new: String)

  /// The path of the field that it concerns.
  package var field: String {
    switch self {
    case .constant(let field, _), .wrap(let field), .plunge(let field), .hoist(let field, _),
      .acknowledge(let field), .unrelated(_, let field):
      field
    }
  }

  /// Its name, for messages.
  package var word: String {
    switch self {
    case .constant: "constant"
    case .wrap: "wrap"
    case .plunge: "plunge"
    case .hoist: "hoist"
    case .acknowledge: "acknowledgement"
    case .unrelated: "Unrelated"
    }
  }
}

extension FieldAdjustment {
  /// Returns the constant `value` for a field; `nil` if there is no such field or the value cannot be stored.
  package static func constant(at field: String?, _ value: some StoredValue) -> FieldAdjustment? {
    guard let field else { return nil }
    var writer = FieldWriter(continuing: [])
    do throws(CodingFailure) {
      try writer.field(value)
      return .constant(field: field, bytes: writer.finish())
    } catch {
      return nil
    }
  }
}
