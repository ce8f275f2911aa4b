/// A record whose own Swift type is gone: what was stored, as a tree.
///
/// A schema that no code uses any more keeps such a record in one line, and a rule takes the tree apart by the names of fields:
///
/// ```swift
/// @Schema(1, 0, 0) enum FilmsV1 {
///   struct PixarFilm: TreeRecord { var tree: CBOR }
/// }
/// ```
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
