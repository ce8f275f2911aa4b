internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore

/// The memory that a fold has reserved for its rows, a little ahead of what they take.
///
/// The fold measures its rows after some events: soon enough that they cannot have outgrown the reservation,
/// if the next events add no more than twice as much as the last ones did.
struct RowReservation {
  /// The most events between two measurements.
  private static var most: Int { 64 }

  private let budget: ViewBudget
  private(set) var bytes = 0
  /// The size at the last measurement, and the events folded until the next one.
  private var size = 0
  private var interval = 1
  private var rest = 1

  init(_ budget: ViewBudget) {
    self.budget = budget
  }

  /// Counts an event that was folded.
  ///
  /// - Returns: Whether the rows are to be measured.
  mutating func isDue() -> Bool {
    rest -= 1
    return rest <= 0
  }

  /// Reserves memory for rows of a size, and for the next events.
  ///
  /// - Returns: Whether it was there. If not, the rows are counted nevertheless, and have to be stored now.
  mutating func cover(_ new: Int) -> Bool {
    // The first event of a batch is measured alone.
    let growth = rest > 0 ? .max : max((new - size) / interval, 1)
    size = new
    let isCovered = new + budget.step <= bytes || extend(to: new + budget.step)
    if !isCovered, new > bytes {
      ViewMemory.rows.add(new - bytes)
      bytes = new
    }
    interval = min(max((bytes - new) / growth / 2, 1), Self.most)
    rest = interval
    return isCovered
  }

  private mutating func extend(to new: Int) -> Bool {
    guard ViewMemory.rows.reserve(new - bytes, within: budget.rows) else { return false }
    bytes = new
    return true
  }

  /// Returns what rows of a size do not take, after they were stored.
  ///
  /// - Returns: Whether they may be kept for the next batch.
  mutating func settle(to new: Int) -> Bool {
    release(downTo: new)
    return new <= budget.kept && ViewMemory.rows.reserved <= budget.kept
  }

  /// Returns everything.
  mutating func end() { release(downTo: 0) }

  private mutating func release(downTo new: Int) {
    (size, interval, rest) = (new, 1, 1)
    guard bytes > new else { return }
    ViewMemory.rows.release(bytes - new)
    bytes = new
  }
}
