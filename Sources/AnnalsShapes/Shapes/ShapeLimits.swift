internal import AnnalsCoding

/// The limits for a shape, so that no stored shape can exhaust the memory or the stack of a reader.
enum ShapeLimits {
  /// The most bytes of a shape's text.
  static let textSize = 65_536
  /// The most fields, cases and types in one shape.
  static let parts = 10_000
  /// The most levels of nested types: no deeper payload can be written.
  static let depth = CBOR.typedDepthLimit
}
