public import AnnalsCoding

/// A record whose own Swift type has been removed: its stored value as a tree.
///
/// A schema that no other code uses keeps such a record in one line. A rule reads fields from the tree by
/// name:
///
/// ```swift
/// @Schema(1, 0, 0) enum FilmsV1 {
///   struct PixarFilm: TreeRecord { var tree: CBOR }
/// }
/// ```
///
/// A typealias can use the same type in any number of versions. A rule in each stage then converts the record
/// to the same type and changes the tree:
///
/// ```swift
/// Upcast(\.spanEnded, to: \.spanEnded) { old, _ in
///   var tree = old.tree
///   tree["attributes"] = tree["attributes"].map(renamed)
///   return .init(tree: tree)
/// }
/// ```
///
/// The record is decoded once, regardless of how many rules convert it. Intermediate trees are not checked:
/// an invalid tree, such as a map with a duplicate key, is only detected when the record is stored.
public protocol TreeRecord: Record {
  /// The payload by name: a map.
  var tree: CBOR { get }
  /// Creates the record from a payload.
  init(tree: CBOR)
}

extension TreeRecord {
  /// Decodes the record from the map in `payload`.
  public static func decode(payload: Span<UInt8>) throws(CodingFailure) -> Self {
    Self(tree: try CBOR(payload: payload))
  }

  /// Appends the tree.
  public func encode(into payload: inout [UInt8]) throws(CodingFailure) {
    payload += try tree.encodedPayload()
  }
}
