internal import AnnalsCoding

/// How large a shape may be, so that nothing that is stored can exhaust the memory or the stack of who reads it.
enum ShapeLimits {
  /// The most bytes of a shape's text.
  static let textSize = 65_536
  /// The most fields, cases and types in one shape.
  static let parts = 10_000
  /// How deep types may be nested: no deeper payload can be written.
  static let depth = CBOR.depthLimit
}
