/// The calls of this process that are to be published, and how many messages with calls are under way.
///
/// As long as few messages are under way, a call leaves at once and alone. Otherwise it waits, and leaves
/// together with all that wait when the log has one of the messages.
///
/// Callers whose verdicts come at the same time often make their next calls at the same time. So the first of
/// these waits for the others for a moment.
struct CallQueue {
  /// The most messages under way.
  static let places = 2
  /// The most calls of a message, and the bytes that are not exceeded unless one call has more.
  static let limit = (calls: 1_024, bytes: 256 << 10)

  private var waiting: [PendingCall] = []
  /// The number of calls at the beginning of `waiting` that have left.
  private var head = 0
  private var underWay = 0
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
    if returning > 0 { returning -= 1 }
    guard returning > 0 else {
      isHolding = false
      return leave()
    }
    if !isHolding, underWay < Self.places {
      isHolding = true
      holds += 1
    }
    return []
  }

  /// Notes that so many callers are about to get their verdicts.
  mutating func expect(_ count: Int) { returning = count > 1 ? count : 0 }

  /// Lets the calls leave that have waited for others long enough.
  ///
  /// - Parameter hold: The value of ``holds`` when they began to wait.
  mutating func release(_ hold: UInt64) -> [PendingCall] {
    guard isHolding, hold == holds else { return [] }
    isHolding = false
    returning = 0
    return leave()
  }

  /// Notes that a message is no longer under way.
  ///
  /// - Returns: The calls that leave now.
  mutating func arrived() -> [PendingCall] {
    underWay -= 1
    return leave()
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
    }
    return late
  }

  private mutating func leave() -> [PendingCall] {
    guard underWay < Self.places, !isHolding else { return [] }
    var leaving: [PendingCall] = []
    var size = 0
    while head < waiting.count, leaving.count < Self.limit.calls {
      let call = waiting[head]
      if call.isAnswered {
        head += 1
        continue
      }
      size += call.content.bytes.count
      guard leaving.isEmpty || size <= bytes else { break }
      leaving.append(call)
      head += 1
    }
    if head == waiting.count {
      waiting.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024, head * 2 > waiting.count {
      waiting.removeFirst(head)
      head = 0
    }
    if !leaving.isEmpty { underWay += 1 }
    return leaving
  }
}
