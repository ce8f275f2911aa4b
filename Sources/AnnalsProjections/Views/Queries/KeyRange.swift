internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A range of keys for a query: all keys, one key, an interval, or the keys with a common prefix.
///
/// ```swift
/// RowQuery(File.self, .prefix("Sources/"))
/// RowQuery(Score.self, .leading("match-12"))
/// RowQuery(Player.byAge, .from(18, upTo: 30))
/// ```
///
/// Keys are compared by their encoded bytes (``RowKey``), so texts are in the order of their UTF-8 bytes. A
/// range whose end comes before its beginning is empty.
public struct KeyRange<Key: RowKey>: Hashable, Sendable {
  let lower, upper: KeyCut

  private init(_ lower: KeyCut, _ upper: KeyCut) {
    self.lower = lower
    self.upper = upper
  }

  /// Creates the range of the keys that begin with the bytes `fill` writes.
  private init(beginning fill: (inout RowKeyBytes) -> Void) {
    var bytes = RowKeyBytes()
    fill(&bytes)
    self.init(KeyCut(before: bytes.bytes), KeyCut(after: bytes.bytes))
  }

  /// Every key.
  public static var all: KeyRange { KeyRange(KeyCut(before: []), KeyCut(after: [])) }

  /// One key.
  public static func key(_ key: Key) -> KeyRange { KeyRange(KeyCut(before: key), KeyCut(after: key)) }

  /// A key and those after it.
  public static func from(_ first: Key) -> KeyRange { KeyRange(KeyCut(before: first), KeyCut(after: [])) }

  /// The keys after a key.
  public static func above(_ key: Key) -> KeyRange { KeyRange(KeyCut(after: key), KeyCut(after: [])) }

  /// The keys before a key.
  public static func upTo(_ end: Key) -> KeyRange { KeyRange(KeyCut(before: []), KeyCut(before: end)) }

  /// A key and those before it.
  public static func through(_ last: Key) -> KeyRange { KeyRange(KeyCut(before: []), KeyCut(after: last)) }

  /// A key and those after it, up to but not including another.
  public static func from(_ first: Key, upTo end: Key) -> KeyRange {
    KeyRange(KeyCut(before: first), KeyCut(before: end))
  }

  /// The keys from one to another, both included.
  public static func from(_ first: Key, through last: Key) -> KeyRange {
    KeyRange(KeyCut(before: first), KeyCut(after: last))
  }
}

extension KeyRange where Key: Comparable {
  /// The keys in a range.
  ///
  /// Swift compares the bounds of a text range in another order than that of their bytes. If Swift rejects a
  /// range as reversed, use ``from(_:upTo:)``.
  public static func `in`(_ range: Range<Key>) -> KeyRange {
    .from(range.lowerBound, upTo: range.upperBound)
  }

  /// The keys in a range.
  public static func `in`(_ range: ClosedRange<Key>) -> KeyRange {
    .from(range.lowerBound, through: range.upperBound)
  }

  /// The keys in a range.
  public static func `in`(_ range: PartialRangeFrom<Key>) -> KeyRange { .from(range.lowerBound) }

  /// The keys in a range.
  public static func `in`(_ range: PartialRangeUpTo<Key>) -> KeyRange { .upTo(range.upperBound) }

  /// The keys in a range.
  public static func `in`(_ range: PartialRangeThrough<Key>) -> KeyRange { .through(range.upperBound) }
}

extension KeyRange where Key == String {
  /// The texts that begin with the UTF-8 bytes of a text. An empty text matches all.
  public static func prefix(_ text: String) -> KeyRange {
    KeyRange { bytes in bytes.append(open: text.utf8.span) }
  }
}

extension KeyRange where Key == StreamName {
  /// The names that begin with the UTF-8 bytes of a text. An empty text matches all.
  public static func prefix(_ text: String) -> KeyRange {
    KeyRange { bytes in bytes.append(open: text.utf8.span) }
  }
}

extension KeyRange where Key == Data {
  /// The byte strings that begin with another. An empty one matches all.
  public static func prefix(_ data: Data) -> KeyRange {
    KeyRange { bytes in
      let beginning = Array(data)
      bytes.append(open: beginning.span)
    }
  }
}

extension KeyRange {
  /// The keys whose first part is `first`.
  public static func leading<First: RowKey, each Rest: RowKey>(_ first: First) -> KeyRange
  where Key == Keys<First, repeat each Rest> {
    KeyRange { bytes in first.encode(into: &bytes) }
  }

  /// The keys whose first two parts are these.
  public static func leading<First: RowKey, Second: RowKey, each Rest: RowKey>(
    _ first: First, _ second: Second
  ) -> KeyRange where Key == Keys<First, Second, repeat each Rest> {
    KeyRange { bytes in
      first.encode(into: &bytes)
      second.encode(into: &bytes)
    }
  }

  /// The keys whose first three parts are these.
  public static func leading<First: RowKey, Second: RowKey, Third: RowKey, each Rest: RowKey>(
    _ first: First, _ second: Second, _ third: Third
  ) -> KeyRange where Key == Keys<First, Second, Third, repeat each Rest> {
    KeyRange { bytes in
      first.encode(into: &bytes)
      second.encode(into: &bytes)
      third.encode(into: &bytes)
    }
  }

  /// The keys whose first part is a text that begins with the UTF-8 bytes of `text`.
  public static func leading<each Rest: RowKey>(beginning text: String) -> KeyRange
  where Key == Keys<String, repeat each Rest> {
    KeyRange { bytes in bytes.append(open: text.utf8.span) }
  }

  /// The keys whose first part is `first`, and whose second is a text that begins with the UTF-8 bytes of
  /// `text`.
  public static func leading<First: RowKey, each Rest: RowKey>(
    _ first: First, beginning text: String
  ) -> KeyRange where Key == Keys<First, String, repeat each Rest> {
    KeyRange { bytes in
      first.encode(into: &bytes)
      bytes.append(open: text.utf8.span)
    }
  }
}

/// A place between keys: before or after all that begin with some bytes.
struct KeyCut: Hashable, Sendable {
  let bytes: [UInt8]
  let isBehind: Bool

  /// Before all keys that begin with `bytes`.
  init(before bytes: [UInt8]) {
    self.bytes = bytes
    isBehind = false
  }

  /// After all keys that begin with `bytes`.
  init(after bytes: [UInt8]) {
    self.bytes = bytes
    isBehind = true
  }

  /// Before a key.
  init(before key: some RowKey) { self.init(before: RowKeyBytes(key).bytes) }

  /// After a key.
  init(after key: some RowKey) { self.init(after: RowKeyBytes(key).bytes) }

  /// Returns the lowest bytes that a key after the place can have among those that begin with `start`.
  ///
  /// - Parameter start: Bytes of which one is below 255.
  func floor(in start: [UInt8]) -> [UInt8] {
    var whole = start + bytes
    guard isBehind else { return whole }
    while whole.last == 0xff { whole.removeLast() }
    precondition(!whole.isEmpty, "a space that nothing can follow")
    whole[whole.count - 1] += 1
    return whole
  }
}
