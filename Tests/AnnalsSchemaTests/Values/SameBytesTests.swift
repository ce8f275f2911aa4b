import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A field and a value stored by name are the same bytes for every type that both can write.
struct SameBytesTests {
  private func same<Value: StoredValue & Codable & Equatable>(
    _ value: Value, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let bytes = try written(value)
    let named = try PayloadEncoder.encode(value)
    #expect(hex(bytes) == hex(named), sourceLocation: sourceLocation)
    let back = try read(bytes, as: Value.self)
    #expect(back == value, sourceLocation: sourceLocation)
    let named2 = try PayloadDecoder.decode(Value.self, from: bytes)
    #expect(named2 == value, sourceLocation: sourceLocation)
  }

  private func number<Number: FixedWidthInteger>(_ generator: inout SeededGenerator) -> Number {
    Number(truncatingIfNeeded: generator.next() >> UInt64.random(in: 0...63, using: &generator))
      ^ (Bool.random(using: &generator) ? 0 : ~0)
  }

  private func text(_ generator: inout SeededGenerator) -> String {
    let scalars: [Unicode.Scalar] = ["a", "b", "\0", "ü", "e", "\u{301}", "🏏", "\u{10ffff}", "~", "\u{7f}"]
    var text = ""
    for _ in 0..<Int.random(in: 0...30, using: &generator) {
      text.unicodeScalars.append(scalars[Int.random(in: 0..<scalars.count, using: &generator)])
    }
    return text
  }

  private func list<Value>(
    _ generator: inout SeededGenerator, _ element: (inout SeededGenerator) -> Value
  ) -> [Value] {
    (0..<Int.random(in: 0...30, using: &generator)).map { _ in element(&generator) }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func `values of every type have the same bytes as by name`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<40 {
      try same(number(&generator) as Int8)
      try same(number(&generator) as Int16)
      try same(number(&generator) as Int32)
      try same(number(&generator) as Int64)
      try same(number(&generator) as Int)
      try same(number(&generator) as UInt8)
      try same(number(&generator) as UInt16)
      try same(number(&generator) as UInt32)
      try same(number(&generator) as UInt64)
      try same(number(&generator) as UInt)
      try same(Bool.random(using: &generator))
      try same(Double(number(&generator) as Int32) / 8)
      try same(Double.random(in: -1e9...1e9, using: &generator))
      try same(Float.random(in: -1e9...1e9, using: &generator))
      try same(text(&generator))
      try same(Data(list(&generator) { number(&$0) as UInt8 }))
      try same(list(&generator) { number(&$0) as UInt8 })
      try same(Date(timeIntervalSinceReferenceDate: .random(in: -1e10...1e10, using: &generator)))
      try same(list(&generator) { number(&$0) as Int })
      try same(list(&generator) { Bool.random(using: &$0) ? number(&$0) as Int16 : nil })
      try same(Set(list(&generator) { number(&$0) as Int32 }))
      try same(Set(list(&generator) { text(&$0) }))
      try same(Set(list(&generator) { Set(list(&$0) { number(&$0) as Int8 }) }))
      try same(
        Dictionary(
          list(&generator) { (text(&$0), number(&$0) as Int) }, uniquingKeysWith: { first, _ in first }))
      try same(
        Dictionary(
          list(&generator) { (number(&$0) as UInt16, text(&$0)) }, uniquingKeysWith: { first, _ in first }))
      try same(
        Dictionary(
          list(&generator) { (list(&$0) { number(&$0) as UInt8 }, Double(number(&$0) as Int16)) },
          uniquingKeysWith: { first, _ in first }))
    }
  }

  @Test func `special types have the same bytes as by name`() throws {
    try same(try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")))
    try same(try #require(URL(string: "https://example.org/a?b=c")))
    try same(try #require(Decimal(string: "-12345678901234567890.12")))
    try same([try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")): 1])
    try same([[UInt8]]([[1], []]))
    try same(Double?.some(-0.0))
    try same(String?.none)
    try same([Decimal(1): [Date.distantPast, Date.distantFuture]])
  }
}
