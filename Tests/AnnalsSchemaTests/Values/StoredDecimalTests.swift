import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct StoredDecimalTests {
  @Test(arguments: [
    "0", "1", "-1", "0.1", "-12345678901234567890.12", "99999999999999999999999999999999999999", "NaN",
  ])
  func `a number is the text of its digits`(text: String) throws {
    let number = text == "NaN" ? Decimal.nan : try #require(Decimal(string: text))
    let bytes = try written(number)
    #expect(try bytes == written(text))
    let back = try read(bytes, as: Decimal.self)
    #expect(back.description == text)
  }

  @Test func `the greatest and the least number come back`() throws {
    for number in [
      Decimal.greatestFiniteMagnitude, -Decimal.greatestFiniteMagnitude, Decimal.leastNonzeroMagnitude,
      Decimal.leastFiniteMagnitude,
    ] {
      let bytes = try written(number)
      let back = try read(bytes, as: Decimal.self)
      #expect(back == number)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `any number comes back`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<300 {
      let sign: FloatingPointSign = Bool.random(using: &generator) ? .minus : .plus
      let exponent = Int.random(in: -120...90, using: &generator)
      let high = Decimal(
        UInt64.random(in: 0...UInt64.max, using: &generator) >> UInt64.random(in: 0...63, using: &generator))
      let low = Decimal(UInt64.random(in: 0...UInt64.max, using: &generator))
      let significand = high * Decimal(UInt64.max) + low
      let number = Decimal(sign: sign, exponent: exponent, significand: significand)
      let bytes = try written(number)
      let back = try read(bytes, as: Decimal.self)
      #expect(back == number, "\(number)")
    }
  }

  @Test func `a text that says a number otherwise than it is written is refused`() throws {
    for text in ["1.0", "1e2", "-0", "0.10", "100000000000000000000000000000000000000000000000001", "1E+5"] {
      expect(hex(try written(text)), as: Decimal.self, fails: .notCanonical)
    }
  }

  @Test func `a text that is no number is refused`() throws {
    for text in ["", "x", "1x", "01", "+1", " 1", "inf", "nan", "1,5", "1e999"] {
      expect(hex(try written(text)), as: Decimal.self, fails: .refused)
    }
    expect("01", as: Decimal.self, fails: .wrongType)
  }

  @Test func `the shape is its own`() {
    #expect(shape(of: Decimal.self) == .decimal)
  }
}
