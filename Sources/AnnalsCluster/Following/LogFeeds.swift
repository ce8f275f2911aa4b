internal import AnnalsReplication

/// The subscriptions of a follower: one brings the messages, and others, to other servers, say which ones
/// these have.
///
/// With three servers one other is asked, so that most of them have each message that counts.
final class LogFeeds {
  /// What becomes of a message.
  enum Verdict: Equatable {
    /// Most of the servers have it.
    case counts
    /// Two servers, with these names, have different ones at its sequence.
    case differs(between: [String])
    /// A server says nothing. It is no longer asked.
    case silent
  }

  private struct Check {
    let subscription: NATSSubscription
    var marks = CopyMarks()
  }

  /// The longest time to wait for a server to say which message it has, in nanoseconds.
  static let patience = 2_000_000_000

  private let name: LogName
  private var messages: NATSSubscription?
  private var checks: [Check] = []
  /// The number of servers to ask. Nothing counts while fewer are asked.
  private var others = 0
  /// Whether messages come from a subscription that nobody has heard of.
  var isNew = false
  /// A message that was delivered and does not count yet.
  private var held: Delivery?
  /// The last message that a server said nothing of.
  private var unheard: CopyMark?

  init(_ name: LogName) {
    self.name = name
  }

  /// Subscribes wherever a subscription is missing.
  ///
  /// - Parameters:
  ///   - sequence: The first message.
  ///   - others: The number of servers to ask in addition.
  /// - Throws: ``NATSFailure`` if a server does not answer, or is one that is followed already: the broker
  ///   chooses the server. The call is repeated.
  func complete(_ connection: NATSConnection, from sequence: UInt64, others: Int) throws(NATSFailure) {
    self.others = others
    if messages == nil {
      held = nil
      messages = try subscribe(connection, from: sequence, withContents: true)
      isNew = true
    }
    while checks.count < others {
      checks.append(Check(subscription: try subscribe(connection, from: sequence, withContents: false)))
    }
  }

  private func subscribe(
    _ connection: NATSConnection, from sequence: UInt64, withContents: Bool
  ) throws(NATSFailure) -> NATSSubscription {
    let made = try NATSSubscription(connection, to: name, from: sequence, withContents: withContents)
    let known = checks.map(\.subscription.server) + (messages.map { [$0.server] } ?? [])
    guard others == 0 || !made.server.isEmpty else { throw NATSFailure(.passing, "a server without a name") }
    guard !known.contains(made.server) else {
      throw NATSFailure(.passing, "the server '\(made.server)' is followed already")
    }
    return made
  }

  /// Forgets all subscriptions.
  func drop() {
    messages = nil
    checks = []
    held = nil
    unheard = nil
  }

  /// Takes the next message.
  func next(upTo milliseconds: Int64) -> Delivered {
    if let held {
      self.held = nil
      return .delivery(held)
    }
    guard let messages else { return .broken(NATSFailure(.passing, "no subscription")) }
    let delivered = messages.next(upTo: milliseconds)
    switch delivered {
    case .delivery: return delivered
    case .nothing: return listen()
    case .broken:
      self.messages = nil
      return delivered
    }
  }

  /// Whether a message waits here.
  var hasMore: Bool { held != nil || (messages?.waiting ?? 0) > 0 }

  /// Takes the signs of the servers that are asked, while no message comes.
  private func listen() -> Delivered {
    for index in checks.indices where !read(index, upTo: 1) {
      checks.remove(at: index)
      return .broken(NATSFailure(.passing, "a server that is asked gives no sign"))
    }
    return .nothing
  }

  /// Whether the servers that are asked have said something of the message after `sequence`, so that
  /// ``verdict(on:after:unless:)`` does not wait. Only what has arrived is read.
  func isKnown(after sequence: UInt64) -> Bool {
    for index in checks.indices {
      while !checks[index].marks.isKnown(after: sequence) {
        guard checks[index].subscription.waiting > 0, read(index, upTo: 1) else { return false }
      }
    }
    return true
  }

  /// Asks the other servers for a message.
  ///
  /// - Parameters:
  ///   - delivery: The message.
  ///   - sequence: The one before it.
  ///   - isOver: Whether to stop.
  func verdict(
    on delivery: Delivery, after sequence: UInt64, unless isOver: () -> Bool
  ) -> Verdict {
    guard checks.count >= others else {
      held = delivery
      return .silent
    }
    let end = Clock.now + Self.patience
    var index = 0
    while index < checks.count {
      switch checks[index].marks.answer(on: delivery.mark, after: sequence) {
      case .same: index += 1
      case .different:
        return .differs(between: [messages?.server ?? "", checks[index].subscription.server])
      case .nothing:
        guard Clock.now < end, !isOver(), read(index, upTo: 100) else {
          hold(delivery, silent: index)
          return .silent
        }
      }
    }
    return .counts
  }

  /// Keeps a message that a server says nothing of, and asks another server next time. If that is silent as
  /// well, the message may be one that nobody else has, so another server brings it.
  private func hold(_ delivery: Delivery, silent index: Int) {
    guard unheard != delivery.mark else { return drop() }
    unheard = delivery.mark
    checks.remove(at: index)
    held = delivery
  }

  /// Reads what a server says next; `false` if its subscription is of no more use.
  private func read(_ index: Int, upTo milliseconds: Int64) -> Bool {
    switch checks[index].subscription.next(upTo: milliseconds) {
    case .nothing: true
    case .broken: false
    case .delivery(let delivery): checks[index].marks.add(delivery.mark, count: delivery.count)
    }
  }
}
