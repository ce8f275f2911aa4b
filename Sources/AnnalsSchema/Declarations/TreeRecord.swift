public import AnnalsCoding

/// A record whose own Swift type is gone: what was stored, as a tree.
///
/// A schema that no code uses any more keeps such a record in one line, and a rule takes the tree apart by the names of fields:
///
/// ```swift
/// @Schema(1, 0, 0) enum FilmsV1 {
///   struct PixarFilm: TreeRecord { var tree: CBOR }
/// }
/// ```
///
/// The same type may be carried by typealias through any number of versions, with a rule in each stage that takes it to itself and changes the tree:
///
/// ```swift
/// Upcast(\.spanEnded, to: \.spanEnded) { old, _ in
///   var tree = old.tree
///   tree["attributes"] = tree["attributes"].map(renamed)
///   return .init(tree: tree)
/// }
/// ```
///
/// It is decoded once, however many rules it goes through. What it becomes is not looked at on the way: a rule that writes a tree which is no payload, such as a map
/// with a key twice, is noticed where the record is stored.
public protocol TreeRecord: Record {
  /// The payload by name: a map.
  var tree: CBOR { get }
  /// The record of this payload.
  init(tree: CBOR)
}

extension TreeRecord {
  /// The record of the map that `payload` is.
  public static func decode(payload: Span<UInt8>) throws(CodingFailure) -> Self {
    Self(tree: try CBOR(payload: payload))
  }

  /// Adds the tree.
  public func encode(into payload: inout [UInt8]) throws(CodingFailure) {
    payload += try tree.encodedPayload()
  }
}
