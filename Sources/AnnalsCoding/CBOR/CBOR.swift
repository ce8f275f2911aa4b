/// A value in the data model of CBOR (RFC 8949): payloads and metadata without their Swift types.
///
/// Text is compared and hashed by its UTF-8 bytes, and floating-point numbers by their bits (so NaN equals
/// itself and −0.0 is not 0.0). The order of a map's pairs does not matter.
public enum CBOR: Sendable {
  /// The number n.
  case unsigned(UInt64)
  /// The number −1 − n.
  case negative(UInt64)
  /// A byte string.
  case bytes([UInt8])
  /// A text.
  case text(String)
  /// A sequence of values.
  case array([CBOR])
  /// Pairs of keys and values.
  case map([Pair])
  /// A value with a tag number. Payloads have none.
  indirect case tagged(UInt64, CBOR)
  /// False or true.
  case bool(Bool)
  /// Null.
  case null
  /// Undefined. Payloads have none.
  case undefined
  /// Another simple value, 0 to 19 or 32 to 255. Payloads have none.
  case simple(UInt8)
  /// A binary floating-point number of any of the three widths, as the widest.
  case double(Double)

  /// A key of a map and its value.
  public struct Pair: Sendable, Hashable {
    /// The key; in payloads always text.
    public var key: CBOR
    /// The value.
    public var value: CBOR

    /// Creates the pair of `key` and `value`.
    public init(_ key: CBOR, _ value: CBOR) {
      self.key = key
      self.value = value
    }
  }

  /// The maximum number of levels of nested arrays, maps and tags, for decoding and encoding.
  ///
  /// Deeper input is refused before it is entered, so that no input exhausts the stack.
  @inlinable public static var depthLimit: Int { typedDepthLimit + levelsOfNames }

  /// The maximum number of levels of what types write: of payloads by shape, and of `Codable` values.
  @inlinable package static var typedDepthLimit: Int { 64 }

  /// The levels that names may add to a payload by shape, so that all that types write has a form by name.
  ///
  /// A case that holds values is one array by shape, and two maps by name: at most as many levels again. A
  /// case without values is a number by shape, and may also be two maps. A personal value that is not
  /// encrypted has a case around it. More levels would need more stack than some threads have.
  @inlinable package static var levelsOfNames: Int { typedDepthLimit + 4 }
}
