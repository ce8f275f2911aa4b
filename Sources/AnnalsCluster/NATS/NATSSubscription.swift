internal import AnnalsReplication
internal import CNATS

/// A message as it comes, with the numbers that show whether one is missing.
struct Delivery: Sendable {
  /// The message in the log.
  let message: ReplicatedMessage
  /// How many messages this subscription was sent before and with this one.
  let count: UInt64
}

/// What a wait for messages ended with.
enum Delivered: Sendable {
  case delivery(Delivery)
  /// None within the time.
  case nothing
  /// The subscription is of no more use.
  case broken(NATSFailure)
}

/// A subscription that one thread takes messages from.
///
/// The server keeps its place in memory, and forgets it some seconds after the reader is gone. It sends
/// heartbeats while there is nothing else, and asks now and then whether the reader keeps up. The library can
/// do both, but its timers outlive the subscriptions that they belong to, so both are done here.
final class NATSSubscription {
  /// The nanoseconds without a sign of the server after which the subscription is of no more use.
  private static let patience = 3_500_000_000

  private let inbox: NATSQuestions
  private var sign = Clock.now
  private var count: UInt64 = 0

  /// Subscribes to the messages of a log from a sequence on.
  init(_ connection: NATSConnection, to name: LogName, from sequence: UInt64) throws(NATSFailure) {
    let subject = try NATSConnection.newInbox()
    // The server looks for a reader at once.
    inbox = try NATSQuestions(connection, at: subject)
    try unsafe connection.withContext { context throws(NATSFailure) in
      var code = jsErrCode(rawValue: 0)
      let status = unsafe subject.withCString { subject in
        var settings = unsafe jsConsumerConfig()
        unsafe jsConsumerConfig_Init(&settings)
        unsafe settings.DeliverSubject = subject
        unsafe settings.DeliverPolicy = js_DeliverByStartSequence
        unsafe settings.OptStartSeq = max(sequence, 1)
        unsafe settings.AckPolicy = js_AckNone
        unsafe settings.MaxDeliver = 1
        unsafe settings.FlowControl = true
        unsafe settings.Heartbeat = 1_000_000_000
        unsafe settings.InactiveThreshold = 5 * 1_000_000_000
        unsafe settings.Replicas = 1
        unsafe settings.MemoryStorage = true
        return unsafe js_AddConsumer(nil, context, name.stream, &settings, nil, &code)
      }
      try NATSFailure.check(status, code)
    }
  }

  /// The number of messages that wait here.
  var waiting: Int { inbox.waiting }

  /// Takes the next message.
  ///
  /// - Parameter milliseconds: The longest time to wait, 1 or more.
  func next(upTo milliseconds: Int64) -> Delivered {
    let end = Clock.now + Int(milliseconds) * 1_000_000
    while true {
      let now = Clock.now
      guard let received = inbox.take(upTo: max(Int64((end - now) / 1_000_000), 1)) else {
        return now - sign >= Self.patience
          ? .broken(NATSFailure(.passing, "the server of a subscription gives no sign")) : .nothing
      }
      sign = Clock.now
      if let reply = received.reply, let place = DeliveryPlace(reply) {
        count = place.count
        return .delivery(
          Delivery(
            message: ReplicatedMessage(
              sequence: place.sequence, time: place.nanoseconds / 1_000, bytes: received.bytes),
            count: place.count))
      }
      if let failure = answer(received) { return .broken(failure) }
      if sign >= end { return .nothing }
    }
  }

  /// Takes a sign of the server, and says that all messages before it were taken if it asks for that.
  private func answer(_ received: NATSQuestions.Received) -> NATSFailure? {
    do throws(NATSFailure) {
      for place in [received.reply, received.stalled].compactMap({ $0 }) { try inbox.answer([], to: place) }
    } catch {
      return error
    }
    if let sent = received.lastSent, sent != count {
      return NATSFailure(.passing, "the server has sent \(sent) messages, and \(count) have arrived")
    }
    return nil
  }
}
