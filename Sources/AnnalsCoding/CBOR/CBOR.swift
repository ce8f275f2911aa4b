/// A value as CBOR (RFC 8949) sees it: what payloads and metadata look like without their Swift types.
///
/// Text is compared and hashed by its UTF-8 bytes, numbers with a fraction by their bits (so NaN equals
/// itself and −0.0 is not 0.0), and maps whatever the order of their pairs.
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
  /// A value under a tag number. No payload holds one.
  indirect case tagged(UInt64, CBOR)
  /// False or true.
  case bool(Bool)
  /// Null.
  case null
  /// Undefined. No payload holds it.
  case undefined
  /// Another simple value, 0 to 19 or 32 to 255. No payload holds one.
  case simple(UInt8)
  /// A binary floating-point number of any of the three widths, as the widest.
  case double(Double)

  /// A key of a map and its value.
  public struct Pair: Sendable, Hashable {
    /// The key, in payloads always text.
    public var key: CBOR
    /// The value.
    public var value: CBOR

    /// The pair of `key` and `value`.
    public init(_ key: CBOR, _ value: CBOR) {
      self.key = key
      self.value = value
    }
  }

  /// How deep arrays, maps and tags may be nested, in what is read and in what is written.
  ///
  /// Deeper input is refused before it is entered, so that no input exhausts the stack.
  public static let depthLimit = 64
}
