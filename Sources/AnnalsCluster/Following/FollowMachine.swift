/// What a follower does with each delivery, and when it subscribes again.
///
/// Two numbers come with a message: its sequence in the log, and how many messages this subscription was
/// sent. If the second jumps, a delivery was lost. If only the first jumps, the broker says that the messages
/// between were removed, which is checked before it is believed. Times are nanoseconds of a monotonic clock.
struct FollowMachine: Sendable {
  /// What to do with a delivery.
  enum Step: Equatable, Sendable {
    /// Hand it over, after an empty message for each sequence between it and the one before.
    case take
    /// Ignore it: it was handed over before.
    case skip
    /// Ask the broker which messages were removed, and then call ``FollowMachine/confirmed(first:removed:)``.
    case confirm
    /// Subscribe again after ``FollowMachine/applied``.
    case subscribe
  }

  /// What the answer to "where does the log end" means.
  enum Silence: Equatable, Sendable {
    /// There is nothing that was not handed over.
    case level
    /// The log goes on. Ask which messages were removed, and then call
    /// ``FollowMachine/ended(first:last:removed:)``.
    case confirm
    /// The log has ended before a message that was handed over, for too long to be an old leader's answer.
    case shorter
  }

  /// The time without a message after which the broker is asked.
  static let patience = 1_500_000_000
  /// The time for which an answer may come from a server that does not know yet that it was replaced.
  static let staleness = 15_000_000_000
  /// The time within which a subscription shows again that the last message is another one. A subscription
  /// may have to find a server first.
  static let comparison = 10_000_000_000
  /// The times that the broker may skip a message that it has.
  static let trust = 5

  /// The last sequence that was handed over or is known to be removed.
  private(set) var applied: UInt64
  private var count: UInt64 = 0
  private var heard: Int
  private var isShortSince: Int?
  private var pending: UInt64?
  private var removed: Set<UInt64> = []
  private var skipped: (sequence: UInt64, times: Int) = (0, 0)
  private var change: (since: Int, last: Int)?
  private var difference: (sequence: UInt64, since: Int, last: Int, servers: Set<String>)?
  /// The time for which a difference must last before it is reported.
  private let settling: Int

  init(after sequence: UInt64, now: Int, settling: Int = FollowMachine.staleness) {
    applied = sequence
    heard = now
    self.settling = settling
  }

  /// Notes a new subscription after ``applied``.
  mutating func subscribed(now: Int) {
    count = 0
    heard = now
    pending = nil
  }

  /// Decides on a delivery.
  mutating func received(sequence: UInt64, count: UInt64, now: Int) -> Step {
    heard = now
    isShortSince = nil
    guard count == self.count + 1 else { return .subscribe }
    guard sequence > applied else {
      self.count = count
      return .skip
    }
    guard sequence == applied + 1 || (applied + 1..<sequence).allSatisfy(removed.contains) else {
      pending = sequence
      return .confirm
    }
    self.count = count
    applied = sequence
    return .take
  }

  /// Decides on the delivery that asked for it, with the broker's list of removed messages.
  ///
  /// - Parameters:
  ///   - first: The first sequence that the log still has.
  ///   - removed: The removed sequences after it.
  mutating func confirmed(first: UInt64, removed: Set<UInt64>) -> Step {
    guard let sequence = pending else { return .subscribe }
    pending = nil
    // A server that has the message has none after it as its first: this answer is from one that starts.
    guard first <= sequence else { return .subscribe }
    self.removed = removed
    let missing = (max(applied + 1, first)..<max(sequence, first)).first { !removed.contains($0) }
    guard let missing else {
      count += 1
      applied = sequence
      return .take
    }
    skipped = skipped.sequence == missing ? (missing, skipped.times + 1) : (missing, 1)
    return .subscribe
  }

  /// The message that the broker has and does not deliver, after several subscriptions.
  var undelivered: UInt64? {
    skipped.times >= Self.trust && skipped.sequence == applied + 1 ? applied + 1 : nil
  }

  /// Notes that two servers had different messages at a sequence, or after removed ones from there on.
  mutating func differed(at sequence: UInt64, between servers: [String], now: Int) {
    let before = difference?.sequence == sequence ? difference : nil
    difference = (sequence, before?.since ?? now, now, (before?.servers ?? []).union(servers))
  }

  /// The sequence at which no message was the same on most of the servers, for longer than a server needs
  /// that starts, and the servers that were compared. If these are not all, the others may decide.
  func unsettled(now: Int) -> (sequence: UInt64, servers: Set<String>)? {
    guard let difference, difference.sequence == applied + 1, now - difference.last < Self.patience,
      now - difference.since >= settling
    else { return nil }
    return (difference.sequence, difference.servers)
  }

  /// Notes whether a new subscription brought the message at ``applied`` that was handed over before.
  ///
  /// - Parameter isOther: Whether it brought another one.
  mutating func compared(isOther: Bool, now: Int) {
    let since = change.map { now - $0.last < Self.comparison ? $0.since : now }
    change = isOther ? (since ?? now, now) : nil
  }

  /// Whether the log has had another message at ``applied`` for longer than a server needs that starts: it has
  /// lost messages, or was begun again.
  func isOtherLog(now: Int) -> Bool {
    guard let change else { return false }
    return now - change.last < Self.comparison && now - change.since >= settling
  }

  /// Whether it is time to ask where the log ends.
  func isSilent(now: Int) -> Bool { now - heard >= Self.patience }

  /// Decides what a silence means.
  ///
  /// - Parameter last: The last sequence of the log.
  mutating func asked(last: UInt64, now: Int) -> Silence {
    heard = now
    if last > applied { return .confirm }
    guard last < applied else {
      isShortSince = nil
      return .level
    }
    let since = isShortSince ?? now
    isShortSince = since
    return now - since >= Self.staleness ? .shorter : .level
  }

  /// Decides whether messages are there that do not come, or the last ones were removed.
  ///
  /// - Returns: Whether to subscribe again. If not, ``applied`` is the last sequence.
  mutating func ended(first: UInt64, last: UInt64, removed: Set<UInt64>) -> Bool {
    guard last > applied else { return false }
    // Only the list counts: a server that starts may not know yet where the log begins.
    guard first <= applied + 1, (applied + 1...last).allSatisfy(removed.contains) else { return true }
    applied = last
    return false
  }
}
