#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An axis on which equal factors are equally long.
struct LogarithmicAxis {
  private let low, high: Double
  private let first, last: Double

  /// The axis from `low`, drawn at `first`, to `high`, drawn at `last`; both are positive.
  init(from low: Double, to high: Double, first: Double, last: Double) {
    (self.low, self.high, self.first, self.last) = (low, high, first, last)
  }

  /// The axis whose ends are the next round numbers: 1, 2 or 5 times a power of ten.
  init(around low: Double, _ high: Double, first: Double, last: Double) {
    let round = Self.roundNumbers(from: low / 5, to: high * 5)
    self.init(
      from: round.last { $0 <= low } ?? low, to: round.first { $0 >= high } ?? high, first: first, last: last)
  }

  /// Where a value is drawn.
  func place(_ value: Double) -> Double {
    first + (last - first) * log10(value / low) / log10(high / low)
  }

  /// The round numbers on the axis, both ends included.
  var ticks: [Double] { Self.roundNumbers(from: low, to: high) }

  private static func roundNumbers(from low: Double, to high: Double) -> [Double] {
    let powers = Int(log10(low).rounded(.down))...Int(log10(high).rounded(.up))
    // What is a hair beyond an end only by rounding belongs to it.
    return powers.flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }
      .filter { $0 >= low * 0.999_999 && $0 <= high * 1.000_001 }
  }
}
