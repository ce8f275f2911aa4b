@testable import AnnalsLog

/// A number that waits.
struct WaitingNumber: Waiting, Equatable, ExpressibleByIntegerLiteral {
  let number: Int
  let cost: Int
  let deadline: ContinuousClock.Instant

  init(_ number: Int, cost: Int = 1, until deadline: ContinuousClock.Instant = .now + .seconds(3_600)) {
    (self.number, self.cost, self.deadline) = (number, cost, deadline)
  }

  init(integerLiteral number: Int) { self.init(number) }

  static func == (one: Self, other: Self) -> Bool { one.number == other.number }
}
