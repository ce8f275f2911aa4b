/// The calls of this process that are to be published, and the messages with calls that are under way.
///
/// As long as few calls are under way, a call leaves at once and alone. Otherwise it waits, and leaves
/// together with all that wait when the verdicts on a message are given, or as soon as they fill one.
///
/// Callers whose verdicts come at the same time often make their next calls at the same time. So those that
/// wait then, and the first of these, wait for the others for a moment. In this way the calls of many callers
/// come to share one message.
struct CallQueue {
  /// The most messages under way.
  static let places = 2
  /// The calls under way that are few.
  static let few = 3
  /// The most calls of a message, and the bytes that are not exceeded unless one call has more.
  static let limit = (calls: 1_024, bytes: 256 << 10)

  private var waiting: [PendingCall] = []
  /// The number of calls at the beginning of `waiting` that have left.
  private var head = 0
  /// The bytes of the calls that wait.
  private var size = 0
  private var underWay = (messages: 0, calls: 0)
  /// The number of callers with a verdict of the last batch that may call again.
  private var returning = 0
  /// Whether calls wait for others that may come, although there is a place.
  private var isHolding = false
  /// How often calls have begun to wait for others.
  private(set) var holds: UInt64 = 0
  /// The bytes of a message, which become fewer if the log does not take as many.
  private var bytes = Self.limit.bytes

  /// Adds a call.
  ///
  /// - Returns: The calls that leave now, in one message; empty if the call waits.
  mutating func add(_ call: PendingCall) -> [PendingCall] {
    waiting.append(call)
    size += call.content.bytes.count
    if returning > 0 { returning -= 1 }
    return leaveOrHold()
  }

  /// Notes that so many callers are about to get their verdicts.
  mutating func expect(_ count: Int) { if count > 1 { returning = count } }

  /// Lets the calls leave that have waited for others long enough.
  ///
  /// - Parameter hold: The value of ``holds`` when they began to wait.
  mutating func release(_ hold: UInt64) -> [PendingCall] {
    guard isHolding, hold == holds else { return [] }
    isHolding = false
    returning = 0
    return leave()
  }

  /// Notes that messages with so many calls are no longer under way.
  ///
  /// - Returns: The calls that leave now.
  mutating func arrived(calls: Int, in messages: Int = 1) -> [PendingCall] {
    underWay.messages -= messages
    underWay.calls -= calls
    return leaveOrHold()
  }

  /// Notes that the log does not take a message with so many bytes.
  mutating func refused(bytes count: Int) {
    bytes = max(min(bytes, count / 2), 1)
  }

  /// Takes the calls out whose callers have stopped to wait.
  mutating func expire(now: ContinuousClock.Instant) -> [PendingCall] {
    let late = waiting[head...].filter { $0.deadline <= now }
    if !late.isEmpty {
      waiting = waiting[head...].filter { $0.deadline > now }
      head = 0
      size = waiting.reduce(0) { $0 + $1.content.bytes.count }
    }
    return late
  }

  private var count: Int { waiting.count - head }

  /// Whether a message may leave.
  private var hasPlace: Bool {
    if underWay.messages == 0 { return true }
    guard underWay.messages < Self.places else { return false }
    return underWay.calls <= Self.few || count >= Self.limit.calls || size >= bytes
  }

  private mutating func leaveOrHold() -> [PendingCall] {
    guard returning > 0, count < Self.limit.calls, size < bytes else {
      isHolding = false
      return leave()
    }
    if count > 0, !isHolding, hasPlace {
      isHolding = true
      holds += 1
    }
    return []
  }

  private mutating func leave() -> [PendingCall] {
    guard hasPlace, !isHolding else { return [] }
    var leaving: [PendingCall] = []
    var sum = 0
    while head < waiting.count, leaving.count < Self.limit.calls {
      let call = waiting[head]
      let length = call.content.bytes.count
      guard call.isAnswered || leaving.isEmpty || sum + length <= bytes else { break }
      head += 1
      size -= length
      if call.isAnswered { continue }
      sum += length
      leaving.append(call)
    }
    if head == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024, head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
    guard !leaving.isEmpty else { return [] }
    underWay.messages += 1
    underWay.calls += leaving.count
    return leaving
  }
}
