internal import AnnalsCoding
internal import Foundation

/// The messages whose publishing has no answer yet: what to send next, what to try again, and when to stop.
///
/// A message is sent with the same bytes and the same id until the broker answers for it or the last caller's
/// deadline has passed. Times are nanoseconds of a monotonic clock.
struct PublishQueue: Sendable {
  /// A caller with its answer.
  struct Settled: Sendable {
    let caller: UInt64
    let result: Result<UInt64, AnnalsError>
  }

  private struct Caller: Sendable {
    let number: UInt64
    let deadline: Int
  }

  private enum Place: Sendable {
    /// In the line of messages to send.
    case ready
    /// Sent, and to be sent again at a time unless there is an answer.
    case sent(again: Int)
    /// To be sent at a time.
    case pausing(until: Int)
  }

  private struct Entry: Sendable {
    let bytes: [UInt8]
    var callers: [Caller]
    var place = Place.ready
    var tries = 0
    var failure: NATSFailure?

    var isSent: Bool { if case .sent = place { true } else { false } }
  }

  /// The time to wait for the answer to a try. The library reports a try without an answer a little earlier.
  static let patience = 2_500_000_000
  /// The time between a failed try and the next, at first and at most.
  static let pauses = (shortest: 20_000_000, longest: 500_000_000)
  /// The most messages that are sent and not answered.
  static let window = 8_192

  private var entries: [UUID: Entry] = [:]
  private var ready: [UUID] = []
  /// The number of elements at the beginning of `ready` that were taken.
  private var head = 0
  private var sent = 0

  /// Whether nothing waits for an answer.
  var isEmpty: Bool { entries.isEmpty }
  /// The number of messages without an answer.
  var count: Int { entries.count }

  /// Adds a message, or another caller for a message that is there.
  ///
  /// - Returns: `false` if other bytes with this id are waiting, so that the caller gets an error.
  mutating func add(_ bytes: [UInt8], id: UUID, caller: UInt64, deadline: Int) -> Bool {
    let caller = Caller(number: caller, deadline: deadline)
    if let entry = entries[id] {
      guard entry.bytes == bytes else { return false }
      entries[id]?.callers.append(caller)
      return true
    }
    entries[id] = Entry(bytes: bytes, callers: [caller])
    ready.append(id)
    return true
  }

  /// Takes the next message to send; `nil` if there is none, or too many are without an answer.
  mutating func next(now: Int) -> (id: UUID, bytes: [UInt8])? {
    guard sent < Self.window else { return nil }
    while head < ready.count {
      let id = ready[head]
      head += 1
      if head == ready.count {
        ready.removeAll(keepingCapacity: true)
        head = 0
      }
      guard let entry = entries[id], case .ready = entry.place else { continue }
      place(id, .sent(again: now + Self.patience))
      return (id, entry.bytes)
    }
    return nil
  }

  /// Notes that a message that was taken is being sent, so that it may be stored from now on.
  mutating func sending(_ id: UUID) { entries[id]?.tries += 1 }

  /// Notes that a message that was taken could not be sent.
  mutating func postpone(_ id: UUID, _ failure: NATSFailure, now: Int) {
    entries[id]?.failure = failure
    place(id, .pausing(until: now + Self.pauses.shortest))
  }

  /// Notes that a message that was taken could not be sent, because the servers refuse this program or log.
  ///
  /// - Returns: The callers, if nothing was ever sent. Otherwise the message is tried again, because an
  ///   earlier try may be stored.
  mutating func refused(
    _ id: UUID, _ failure: NATSFailure, by refusal: AnnalsError, now: Int
  ) -> [Settled] {
    guard let entry = entries[id] else { return [] }
    guard entry.tries == 0 else {
      postpone(id, failure, now: now)
      return []
    }
    remove(id)
    return entry.callers.map { Settled(caller: $0.number, result: .failure(refusal)) }
  }

  /// Notes the answer to a try.
  ///
  /// - Returns: The callers that have their answer now.
  mutating func answered(_ id: UUID, _ answer: PublishAnswer, now: Int) -> [Settled] {
    // An answer to an earlier try may come after the message was settled.
    guard let entry = entries[id] else { return [] }
    switch answer {
    case .stored(let sequence):
      remove(id)
      return entry.callers.map { Settled(caller: $0.number, result: .success(sequence)) }
    case .failed(let failure) where failure.kind == .tooLong && entry.tries <= 1:
      remove(id)
      let error = AnnalsError(
        .tooLarge,
        "a message of \(entry.bytes.count) bytes is longer than the servers of the shared log take; append "
          + "less at a time, or raise max_payload there")
      return entry.callers.map { Settled(caller: $0.number, result: .failure(error)) }
    case .failed(let failure):
      entries[id]?.failure = failure
      let pause = min(Self.pauses.shortest << min(max(entry.tries - 1, 0), 10), Self.pauses.longest)
      if entry.isSent { place(id, .pausing(until: now + pause)) }
      return []
    }
  }

  /// Makes messages ready whose time has come, and settles callers whose deadline has passed.
  mutating func advance(now: Int, log: String) -> [Settled] {
    var settled: [Settled] = []
    for (id, entry) in entries {
      let late = entry.callers.filter { $0.deadline <= now }
      if !late.isEmpty {
        let error = Self.late(entry, log)
        settled += late.map { Settled(caller: $0.number, result: .failure(error)) }
        entries[id]?.callers.removeAll { $0.deadline <= now }
        if late.count == entry.callers.count {
          remove(id)
          continue
        }
      }
      switch entry.place {
      case .sent(let due) where due <= now, .pausing(let due) where due <= now:
        place(id, .ready)
        ready.append(id)
      default: break
      }
    }
    return settled
  }

  /// Settles all callers, because the log is closed.
  mutating func close(log: String) -> [Settled] {
    let settled = entries.values.flatMap { entry in
      let error = AnnalsError(
        .unavailable,
        "the shared log '\(log)' was closed before it answered; \(Self.outcome(entry.tries))")
      return entry.callers.map { Settled(caller: $0.number, result: .failure(error)) }
    }
    entries = [:]
    ready = []
    head = 0
    sent = 0
    return settled
  }

  private mutating func place(_ id: UUID, _ place: Place) {
    guard let old = entries[id] else { return }
    entries[id]?.place = place
    sent -= old.isSent ? 1 : 0
    if case .sent = place { sent += 1 }
  }

  private mutating func remove(_ id: UUID) {
    guard let old = entries.removeValue(forKey: id) else { return }
    sent -= old.isSent ? 1 : 0
  }

  private static func late(_ entry: Entry, _ log: String) -> AnnalsError {
    let reason = entry.failure.map { ": \($0)" } ?? ""
    return AnnalsError(
      .unavailable,
      "the shared log '\(log)' did not answer within the deadline\(reason); \(outcome(entry.tries))")
  }

  private static func outcome(_ tries: Int) -> String {
    tries == 0
      ? "nothing was sent, so nothing is stored"
      : "the append may still be stored: repeat it with the same event ids"
  }
}
