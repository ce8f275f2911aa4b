/// A type by which rows of a projection are found and ordered.
///
/// Keys are compared by their encoded bytes, from first to last. The conforming types encode to bytes in the
/// order of their values: texts, integers, `Bool`, `Double`, `Decimal`, `Date`, `UUID`, byte strings,
/// optionals (`nil` first), ``Position``, ``StreamName``, enums with such raw values, and ``Keys`` of
/// several. Texts are ordered by their UTF-8 bytes, so two texts are the same key only if their bytes are
/// equal.
public protocol RowKey: Sendable {
  /// Adds the bytes of the key to the end of `bytes`.
  ///
  /// No key of a type may encode to bytes that are a prefix of another key of that type.
  func encode(into bytes: inout RowKeyBytes)
}

/// The bytes of a key, by which LMDB orders rows.
public struct RowKeyBytes: Sendable {
  /// The bytes written so far.
  @usableFromInline package var bytes: [UInt8] = []

  /// Creates an empty key.
  package init() {}

  /// Adds a number. Smaller numbers sort first.
  public mutating func append(_ number: UInt64) {
    var shift: UInt64 = 64
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  /// Adds a byte.
  public mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  /// Adds bytes of any length so that they sort in order. A zero is followed by 255, and two zeros are the
  /// terminator.
  public mutating func append(ending text: Span<UInt8>) {
    append(open: text)
    bytes.append(0)
    bytes.append(0)
  }

  /// Adds the prefix shared by all keys that begin with `text`.
  package mutating func append(open text: Span<UInt8>) {
    // Hardly any text contains a zero, so most are copied unchanged.
    guard text.holdsZero else { return bytes.append(text) }
    for index in text.indices {
      bytes.append(text[index])
      if text[index] == 0 { bytes.append(0xff) }
    }
  }
}

/// A key made of several keys. Rows are ordered by the first, then by the second among equal ones, and so on.
///
/// ```swift
/// var key: Keys<String, Int> { Keys(match, innings) }
/// ```
public struct Keys<each Part: RowKey>: RowKey {
  /// The keys.
  public let parts: (repeat each Part)

  /// Creates a key from its parts, in order.
  public init(_ part: repeat each Part) {
    parts = (repeat each part)
  }

  /// Adds the bytes of each key.
  public func encode(into bytes: inout RowKeyBytes) {
    repeat (each parts).encode(into: &bytes)
  }
}
