internal import AnnalsCoding

/// What a stage says of one field that its shapes alone do not say.
///
/// Fields are named by their path in the newer shape: their own name, or for a field of a nested record the names joined by points.
package enum FieldAdjustment: Hashable, Sendable {
  /// A new field gets this value, given as the bytes of its payload form.
  case constant(field: String, bytes: [UInt8])
  /// A value becomes an array that holds only it.
  case wrap(String)
  /// Fields of the older record move into this new nested record, found by their names or original names.
  case plunge(String)
  /// This new field comes out of the older nested record `from`, found by its name or original name.
  case hoist(String, from: String)
  /// This field of the older shape is gone on purpose: no new field is the same under another name.
  case acknowledge(removed: String)

  /// This field of the older shape and this one of the newer shape are two fields, although the one goes
  /// where the other comes.
  case unrelated(old: String, new: String)

  /// The path of the field that it is about.
  var field: String {
    switch self {
    case .constant(let field, _), .wrap(let field), .plunge(let field), .hoist(let field, _),
      .acknowledge(let field), .unrelated(_, let field):
      field
    }
  }

  /// What it does, for messages.
  var word: String {
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
