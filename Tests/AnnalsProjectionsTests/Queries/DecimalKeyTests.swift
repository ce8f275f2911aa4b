import Foundation
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsProjections

/// The bytes of keys that are decimals and dates, against an exact order of the numbers.
///
/// The oracle compares digits: `Decimal` itself rounds two numbers to a common exponent before it compares
/// them.
struct DecimalKeyTests {
  /// A number as a sign, digits and a power of ten.
  private struct Exact {
    let isNegative: Bool
    let digits: [UInt8]
    let exponent: Int

    var decimal: Decimal? {
      let sign = isNegative ? "-" : ""
      return Decimal(string: "\(sign)\(digits.map(String.init).joined())e\(exponent)")
    }

    /// −1, 0 or 1, as the number is below, equal to or above `other`.
    func order(_ other: Exact) -> Int {
      let (left, right) = (isZero ? 0 : isNegative ? -1 : 1, other.isZero ? 0 : other.isNegative ? -1 : 1)
      guard left == right, left != 0 else { return left < right ? -1 : left == right ? 0 : 1 }
      // Aligned to the lower of the two exponents.
      let low = min(exponent, other.exponent)
      let (first, second) = (aligned(to: low), other.aligned(to: low))
      let size =
        first.count != second.count
        ? (first.count < second.count ? -1 : 1)
        : first == second ? 0 : first.lexicographicallyPrecedes(second) ? -1 : 1
      return size * left
    }

    private var isZero: Bool { digits.allSatisfy { $0 == 0 } }

    private func aligned(to low: Int) -> [UInt8] {
      Array((digits + Array(repeating: 0, count: exponent - low)).drop { $0 == 0 })
    }
  }

  private static func random(using generator: inout SeededGenerator) -> Exact {
    let count = Int.random(in: 1...38, using: &generator)
    var digits = (0..<count).map { _ in UInt8.random(in: 0...9, using: &generator) }
    // Many numbers that differ in their last digit, or in zeros at an end.
    if Bool.random(using: &generator) { digits = Array(repeating: 9, count: count) }
    if Bool.random(using: &generator) { digits[count - 1] = .random(in: 0...1, using: &generator) }
    let far = Bool.random(using: &generator)
    return Exact(
      isNegative: .random(using: &generator), digits: digits,
      exponent: .random(in: far ? -120...88 : -3...3, using: &generator))
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `decimals are in the order of their numbers, and equal ones have equal bytes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let special = [
      Exact(isNegative: false, digits: [0], exponent: 0),
      Exact(isNegative: false, digits: [1], exponent: 127),
      Exact(isNegative: true, digits: [1], exponent: 127),
      Exact(isNegative: false, digits: [1], exponent: -127),
      Exact(isNegative: true, digits: [1], exponent: -127),
      Exact(isNegative: false, digits: [1, 0, 0], exponent: -2),
      Exact(isNegative: false, digits: [1], exponent: 0),
      Exact(isNegative: false, digits: [1, 0], exponent: -1),
    ]
    var values: [(exact: Exact, bytes: [UInt8])] = []
    for exact in special + (0..<150).map({ _ in Self.random(using: &generator) }) {
      let decimal = try #require(exact.decimal)
      try #require(!decimal.isNaN)
      values.append((exact, RowKeyBytes(decimal).bytes))
    }
    for left in values {
      #expect(left.bytes.count <= 24)
      for right in values {
        let found =
          left.bytes == right.bytes ? 0 : left.bytes.lexicographicallyPrecedes(right.bytes) ? -1 : 1
        #expect(found == left.exact.order(right.exact), "\(left.exact) and \(right.exact), seed \(seed)")
        if found != 0 { #expect(!right.bytes.starts(with: left.bytes), "seed \(seed)") }
      }
    }
  }

  @Test func `zeros at the end of the digits make no difference`() throws {
    let one = Decimal(1)
    for exponent in 1...37 {
      var power = Decimal(1)
      for _ in 0..<exponent { power *= 10 }
      let same = Decimal(sign: .plus, exponent: -exponent, significand: power)
      #expect(same == one)
      #expect(RowKeyBytes(same).bytes == RowKeyBytes(one).bytes, "\(exponent)")
    }
  }

  @Test func `not a number comes before all numbers, and zero is one key`() {
    let keys = [.nan, Decimal(-1), 0, Decimal(string: "1e-127") ?? 0, 1].map { RowKeyBytes($0).bytes }
    #expect(keys == keys.sorted { $0.lexicographicallyPrecedes($1) })
    #expect(keys[0] == [0] && keys[2] == [2])
    #expect(RowKeyBytes(-Decimal(0)).bytes == [2])
  }

  @Test func `a decimal is these bytes`() {
    #expect(hex(RowKeyBytes(Decimal(1)).bytes) == "0340010b00")
    #expect(hex(RowKeyBytes(Decimal(-1)).bytes) == "01bffef4ff")
    #expect(hex(RowKeyBytes(Decimal(string: "12.305") ?? 0).bytes) == "0340020d1f3300")
    #expect(hex(RowKeyBytes(Decimal(string: "0.00205") ?? 0).bytes) == "033ffe153300")
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `dates are in the order of time, also before 2001 and a fraction apart`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let seconds =
      [
        -Double.leastNonzeroMagnitude, .leastNonzeroMagnitude, 0, -0.0, -978_307_200, 1e12, -1e12,
        .leastNonzeroMagnitude * 3,
      ]
      + (0..<60).map { _ in
        let bits = Double(bitPattern: generator.next())
        return bits.isFinite ? bits : .random(in: -1e9...1e9, using: &generator)
      }
    for left in seconds {
      for right in seconds {
        let (first, second) = (
          Date(timeIntervalSinceReferenceDate: left), Date(timeIntervalSinceReferenceDate: right)
        )
        let (one, two) = (RowKeyBytes(first).bytes, RowKeyBytes(second).bytes)
        #expect(one.lexicographicallyPrecedes(two) == (first < second), "\(left) \(right), seed \(seed)")
        #expect((one == two) == (first == second), "\(left) \(right), seed \(seed)")
      }
    }
  }
}
