internal import AnnalsReplication
internal import CNATS

/// A message as it comes, with the numbers that show whether one is missing.
struct Delivery: Sendable {
  /// The message in the log.
  let message: ReplicatedMessage
  /// How many messages this subscription was sent before and with this one.
  let count: UInt64
  /// What identifies the server's copy of the message.
  let mark: CopyMark
}

/// What a wait for messages ended with.
enum Delivered: Sendable {
  case delivery(Delivery)
  /// None within the time.
  case nothing
  /// The subscription is of no more use.
  case broken(NATSFailure)
}

/// A subscription that one thread takes messages from: those of one server's copy of the log.
///
/// The server keeps its place in memory, and forgets it some seconds after the reader is gone. It sends
/// heartbeats while there is nothing else, and asks now and then whether the reader keeps up. The library can
/// do both, but its timers outlive the subscriptions that they belong to, so both are done here.
final class NATSSubscription {
  /// The nanoseconds without a sign of the server after which the subscription is of no more use.
  private static let patience = 3_500_000_000

  /// The time to wait for the broker to choose a server. One that is down does not answer.
  private static let choice: Int64 = 1_000

  /// The name of the server whose copy of the log it reads; empty if there is one server only.
  let server: String
  /// The broker's name for the subscription.
  ///
  /// A server that led the broker, was paused and does not know yet that it was replaced may answer the same
  /// question once more, and then sends messages of its own copy to the same place. They have another name.
  private let consumer: String
  private let inbox: NATSQuestions
  private var sign = Clock.now
  private var count: UInt64 = 0

  /// Subscribes to the messages of a log from a sequence on. The broker chooses one of its servers.
  ///
  /// - Parameters:
  ///   - connection: The connection to the servers.
  ///   - name: The name of the log.
  ///   - sequence: The first message.
  ///   - withContents: Whether the messages come with their contents, or only what identifies them.
  init(
    _ connection: NATSConnection, to name: LogName, from sequence: UInt64, withContents: Bool
  ) throws(NATSFailure) {
    let subject = try NATSConnection.newInbox()
    // The server looks for a reader at once.
    inbox = try NATSQuestions(connection, at: subject)
    (consumer, server) = try unsafe connection.withContext {
      context throws(NATSFailure) -> (String, String) in
      var options = unsafe jsOptions()
      unsafe jsOptions_Init(&options)
      unsafe options.Wait = Self.choice
      var info: UnsafeMutablePointer<jsConsumerInfo>?
      defer { unsafe jsConsumerInfo_Destroy(info) }
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
        unsafe settings.HeadersOnly = !withContents
        return unsafe js_AddConsumer(&info, context, name.stream, &settings, &options, &code)
      }
      try NATSFailure.check(status, code)
      guard let name = unsafe info?.pointee.Name else { throw NATSFailure(.passing, "an empty answer") }
      let leader = unsafe info?.pointee.Cluster?.pointee.Leader
      return unsafe (String(cString: name), leader.map { unsafe String(cString: $0) } ?? "")
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
      if let reply = received.reply, let place = DeliveryPlace(reply) {
        guard place.consumer == consumer else {
          if Clock.now >= end { return .nothing }
          continue
        }
        sign = Clock.now
        count = place.count
        return .delivery(
          Delivery(
            message: ReplicatedMessage(
              sequence: place.sequence, time: place.nanoseconds / 1_000, bytes: received.bytes),
            count: place.count,
            mark: CopyMark(
              sequence: place.sequence, nanoseconds: place.nanoseconds, id: received.id, size: received.size)
          ))
      }
      sign = Clock.now
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
