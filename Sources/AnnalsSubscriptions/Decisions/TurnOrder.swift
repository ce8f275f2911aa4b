/// The order in which callers get their turns, each for one key or several.
///
/// A caller joins the lines of all its keys at once, and has its turn when it is the first of each. Every
/// line is therefore in the order of arrival. The oldest caller is the first of all its lines, so some caller
/// always has its turn: there is no deadlock.
struct TurnOrder<Key: Hashable & Sendable>: Sendable {
  /// A caller's number. Later callers have higher ones.
  typealias Ticket = UInt64

  private struct Caller {
    let keys: [Key]
    /// The number of its lines in which others are before it.
    var blocked: Int
  }

  /// The callers for one key, in the order of arrival.
  private struct Line {
    /// The tickets, of which those before `start` and those of callers that have left do not count.
    var tickets: [Ticket] = []
    var start = 0
    /// The number of callers in it.
    var count = 0
  }

  private var callers: [Ticket: Caller] = [:]
  private var lines: [Key: Line] = [:]
  private var newest: Ticket = 0

  /// Whether no caller has a turn or waits for one.
  var isEmpty: Bool { callers.isEmpty && lines.isEmpty }

  /// The number of callers that have a turn or wait for one.
  var count: Int { callers.count }

  /// Returns whether a caller has its turn.
  func hasTurn(_ ticket: Ticket) -> Bool { callers[ticket]?.blocked == 0 }

  /// Returns whether a caller has its turn or waits for it.
  func includes(_ ticket: Ticket) -> Bool { callers[ticket] != nil }

  /// Returns whether callers wait for a key.
  func isAwaited(_ key: Key) -> Bool { lines[key].map { $0.count > 1 } ?? false }

  /// Returns the keys of a caller that has its turn or waits for it.
  func keys(of ticket: Ticket) -> [Key] { callers[ticket]?.keys ?? [] }

  /// Returns whether a caller has the turn for a key.
  func isTaken(_ key: Key) -> Bool { lines[key] != nil }

  /// Adds a caller after all others.
  ///
  /// - Returns: Its ticket, and whether it has its turn already.
  /// - Complexity: O(`keys.count`).
  mutating func join(_ keys: Set<Key>) -> (ticket: Ticket, hasTurn: Bool) {
    newest += 1
    var blocked = 0
    for key in keys {
      var line = lines[key] ?? Line()
      // The line is the dictionary's only one again after the change, so that its array is never copied.
      lines[key] = nil
      if line.count > 0 { blocked += 1 }
      line.tickets.append(newest)
      line.count += 1
      lines[key] = line
    }
    callers[newest] = Caller(keys: Array(keys), blocked: blocked)
    return (newest, blocked == 0)
  }

  /// Removes a caller, after its turn or before it.
  ///
  /// - Returns: The callers that have their turns now, in the order of arrival.
  /// - Complexity: Amortized O(its keys).
  mutating func leave(_ ticket: Ticket) -> [Ticket] {
    guard let caller = callers.removeValue(forKey: ticket) else { return [] }
    var next: [Ticket] = []
    for key in caller.keys {
      guard var line = lines.removeValue(forKey: key) else { continue }
      line.count -= 1
      guard line.count > 0 else { continue }
      let wasFirst = line.tickets[line.start] == ticket
      while callers[line.tickets[line.start]] == nil { line.start += 1 }
      let first = line.tickets[line.start]
      // Absent tickets are removed when they are more than half, so that each costs O(1).
      if line.tickets.count > 32, line.count < line.tickets.count / 2 {
        line.tickets = line.tickets[line.start...].filter { callers[$0] != nil }
        line.start = 0
      }
      lines[key] = line
      guard wasFirst else { continue }
      callers[first]?.blocked -= 1
      if hasTurn(first) { next.append(first) }
    }
    next.sort()
    return next
  }
}
