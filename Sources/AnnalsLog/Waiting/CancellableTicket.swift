import Synchronization

/// The ticket of a task that waits, for the handler of its cancellation, which may run before there is a
/// ticket.
final class CancellableTicket: Sendable {
  private static let none: UInt64 = 0
  private static let cancelled = UInt64.max
  private let ticket = Atomic<UInt64>(0)

  /// No ticket yet.
  init() {}

  /// Sets the ticket, which is above 0.
  ///
  /// - Returns: Whether the task was not cancelled before. If it was, the caller withdraws the element.
  func set(_ number: UInt64) -> Bool {
    ticket.compareExchange(expected: Self.none, desired: number, ordering: .acquiringAndReleasing).exchanged
  }

  /// Records the cancellation.
  ///
  /// - Returns: The ticket of the element, which the caller withdraws; `nil` if there is none yet.
  func cancel() -> UInt64? {
    let number = ticket.exchange(Self.cancelled, ordering: .acquiringAndReleasing)
    return number == Self.none || number == Self.cancelled ? nil : number
  }
}
