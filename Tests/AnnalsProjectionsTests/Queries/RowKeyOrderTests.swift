import Foundation
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsProjections

/// The bytes of keys against the order of what they are made of.
struct RowKeyOrderTests {
  /// Asks of many pairs whether their bytes compare as they do, and whether no key begins with another.
  private func check<Key: RowKey>(
    _ keys: [Key], seed: UInt64 = 0, _ order: (Key, Key) -> Int,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    for left in keys {
      for right in keys {
        let (first, second) = (RowKeyBytes(left).bytes, RowKeyBytes(right).bytes)
        let wanted = order(left, right)
        let found =
          first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
        #expect(found == wanted, "\(left) and \(right), seed \(seed)", sourceLocation: sourceLocation)
        if found != 0 { #expect(!second.starts(with: first), sourceLocation: sourceLocation) }
      }
    }
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }

  static func order(texts left: String, _ right: String) -> Int {
    let (left, right) = (Array(left.utf8), Array(right.utf8))
    return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
  }

  static let texts = [
    "", "\0", "\0\0", "\0\u{1}", "\u{1}", "a", "a\0", "a\0\0", "a\0b", "a\u{1}", "ab", "b", "é", "e\u{301}",
    "e", "f", "ÿ",
    "\u{ffff}", "\u{10ffff}", "🙂", "\r\n", "\n",
  ]

  static func text(_ generator: inout SeededGenerator) -> String {
    let letters: [Unicode.Scalar] = ["\0", "\u{1}", "a", "b", "é", "\u{301}", "e", "\u{ffff}", "\u{10ffff}"]
    let count = Int.random(in: 0...4, using: &generator)
    var text = String.UnicodeScalarView()
    for _ in 0..<count { text.append(letters[Int.random(in: 0..<letters.count, using: &generator)]) }
    return String(text)
  }

  @Test("keys of every type are in the order of their values", arguments: 1...5 as ClosedRange<UInt64>)
  func values(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let texts = Self.texts + (0..<20).map { _ in Self.text(&generator) }
    check(texts, seed: seed, Self.order(texts:_:))
    check(texts.map { StreamName($0) }, seed: seed) { Self.order(texts: $0.text, $1.text) }
    check(texts.map { Data($0.utf8) + [0xff, 0] }, seed: seed) {
      let (left, right) = (Array($0), Array($1))
      return left == right ? 0 : left.lexicographicallyPrecedes(right) ? -1 : 1
    }
    let numbers =
      [Int.min, -256, -2, -1, 0, 1, 2, 255, 256, .max]
      + (0..<20).map { _ in .random(in: .min ... .max, using: &generator) }
    check(numbers, seed: seed, Self.order)
    check(numbers.map { Int8(truncatingIfNeeded: $0) }, Self.order)
    check(numbers.map { Int16(truncatingIfNeeded: $0) }, Self.order)
    check(numbers.map { Int32(truncatingIfNeeded: $0) }, Self.order)
    check(numbers.map { Int64($0) }, Self.order)
    check(numbers.map { UInt(bitPattern: $0) }, Self.order)
    check(numbers.map { UInt8(truncatingIfNeeded: $0) }, Self.order)
    check(numbers.map { UInt16(truncatingIfNeeded: $0) }, Self.order)
    check(numbers.map { UInt32(truncatingIfNeeded: $0) }, Self.order)
    check(numbers.map { UInt64(bitPattern: Int64($0)) }, Self.order)
    check(numbers.map { Position(UInt64(bitPattern: Int64($0))) }, Self.order)
    check([false, true]) { Self.order($0 ? 1 : 0, $1 ? 1 : 0) }
    let doubles =
      [
        -Double.infinity, -.greatestFiniteMagnitude, -2.5, -1, -.leastNonzeroMagnitude, 0, -0.0,
        .leastNonzeroMagnitude, 1, 2.5, .infinity,
      ]
      + (0..<20).map { _ in .random(in: -1e6...1e6, using: &generator) }
    check(doubles, seed: seed, Self.order)
    check(doubles.filter(\.isFinite).map { Date(timeIntervalSinceReferenceDate: $0) }, Self.order)
    let ids = (0..<20).map { _ in
      UUID(
        uuidString:
          "\(hex(8, &generator))-\(hex(4, &generator))-\(hex(4, &generator))-\(hex(4, &generator))-\(hex(12, &generator))"
      )!
    }
    check(ids) { Self.order(texts: $0.uuidString, $1.uuidString) }
    check(numbers.map { Int?.some($0) } + [nil], seed: seed) { left, right in
      guard let left else { return right == nil ? 0 : -1 }
      guard let right else { return 1 }
      return Self.order(left, right)
    }
    check([Suit.clubs, .hearts, .spades]) { Self.order(texts: $0.rawValue, $1.rawValue) }
  }

  private enum Suit: String, RowKey { case clubs = "c", hearts = "h", spades = "s" }

  private func hex(_ count: Int, _ generator: inout SeededGenerator) -> String {
    (0..<count).map { _ in String(Int.random(in: 0..<16, using: &generator), radix: 16, uppercase: true) }
      .joined()
  }

  @Test("NaN is a key of its own, above all numbers")
  func notANumber() {
    #expect(RowKeyBytes(Double.infinity).bytes.lexicographicallyPrecedes(RowKeyBytes(Double.nan).bytes))
  }

  @Test(
    "keys of several parts are in the order of the first, then of the second",
    arguments: 1...5 as ClosedRange<UInt64>)
  func composed(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let keys = (0..<40).map { _ in
      Keys(
        Self.text(&generator), Int.random(in: -2...2, using: &generator),
        Bool.random(using: &generator) ? Self.text(&generator) : nil)
    }
    check(keys, seed: seed) { left, right in
      let text = Self.order(texts: left.parts.0, right.parts.0)
      if text != 0 { return text }
      let number = Self.order(left.parts.1, right.parts.1)
      if number != 0 { return number }
      guard let first = left.parts.2 else { return right.parts.2 == nil ? 0 : -1 }
      guard let second = right.parts.2 else { return 1 }
      return Self.order(texts: first, second)
    }
  }
}
