internal import AnnalsCoding

/// What rows of a projection are found and ordered by.
///
/// Keys are compared by the bytes that they write, from the first to the last. Texts, integers, `Bool`, `Double`, `Date`, `UUID`, byte strings, optionals (`nil` first),
/// ``Position``, ``StreamName``, enums with such raw values, and ``Keys`` of several write bytes in the order of their values; texts in that of
/// their UTF-8 bytes, so that two texts are one key only if their bytes are equal.
public protocol RowKey: Sendable {
  /// Adds the bytes of the key to the end of `bytes`.
  ///
  /// No key of a type may write bytes that another key of it begins with.
  func encode(into bytes: inout RowKeyBytes)
}

/// The bytes of a key, which LMDB orders rows by.
public struct RowKeyBytes: Sendable {
  /// What was written so far.
  @usableFromInline var bytes: [UInt8] = []

  /// Nothing.
  init() {}

  /// Adds a number; smaller ones come first.
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

  /// Adds bytes of any number, in the order of their values: a zero is followed by 255, and two zeros are the end.
  public mutating func append(ending text: Span<UInt8>) {
    append(open: text)
    bytes.append(0)
    bytes.append(0)
  }

  /// Adds what all keys begin with that begin with `text`.
  mutating func append(open text: Span<UInt8>) {
    // Hardly any text holds a zero, and then it is copied as it is.
    guard text.holdsZero else { return bytes.append(text) }
    for index in text.indices {
      bytes.append(text[index])
      if text[index] == 0 { bytes.append(0xff) }
    }
  }
}

/// Several keys one after the other: rows are ordered by the first, among equal ones by the second, and so on.
///
/// ```swift
/// var key: Keys<String, Int> { Keys(match, innings) }
/// ```
public struct Keys<each Part: RowKey>: RowKey {
  /// The keys.
  public let parts: (repeat each Part)

  /// The keys in their order.
  public init(_ part: repeat each Part) {
    parts = (repeat each part)
  }

  /// Adds the bytes of each key.
  public func encode(into bytes: inout RowKeyBytes) {
    repeat (each parts).encode(into: &bytes)
  }
}
