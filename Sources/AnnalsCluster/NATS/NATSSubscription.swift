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
  /// The subscription is of no more use, in the library's words.
  case broken(NATSFailure)
}

/// A subscription that one thread takes messages from.
///
/// The server keeps its place in memory, and forgets it after a minute without a reader.
/// `@unchecked Sendable`: the pointer is a constant. The library guards what it points to with its own locks.
/// It is freed in `deinit`, when no other thread can have it.
@safe
final class NATSSubscription: @unchecked Sendable {
  private let subscription: OpaquePointer
  /// Kept, because the subscription needs its connection.
  private let connection: NATSConnection

  /// Subscribes to the messages of a log from a sequence on.
  init(_ connection: NATSConnection, to name: LogName, from sequence: UInt64) throws(NATSFailure) {
    unsafe subscription = try connection.withContext { context throws(NATSFailure) in
      var options = unsafe jsSubOptions()
      unsafe jsSubOptions_Init(&options)
      unsafe options.Config.DeliverPolicy = js_DeliverByStartSequence
      unsafe options.Config.OptStartSeq = max(sequence, 1)
      unsafe options.Config.AckPolicy = js_AckNone
      unsafe options.Config.MaxDeliver = 1
      unsafe options.Config.FlowControl = true
      unsafe options.Config.Heartbeat = 1_000_000_000
      unsafe options.Config.InactiveThreshold = 60 * 1_000_000_000
      unsafe options.Config.Replicas = 1
      unsafe options.Config.MemoryStorage = true
      var made: OpaquePointer?
      var code = jsErrCode(rawValue: 0)
      let status = unsafe name.stream.withCString { stream in
        unsafe options.Stream = stream
        return unsafe js_SubscribeSync(&made, context, name.subject, nil, &options, &code)
      }
      try NATSFailure.check(status, code)
      guard let made = unsafe made else { throw NATSFailure(.passing, "no subscription") }
      // The server's flow control bounds what waits here. The library would discard messages at a limit.
      unsafe natsSubscription_SetPendingLimits(made, -1, -1)
      return unsafe made
    }
    self.connection = connection
  }

  deinit { unsafe natsSubscription_Destroy(subscription) }

  /// The number of messages that wait here.
  var waiting: Int {
    var count: UInt64 = 0
    return unsafe natsSubscription_QueuedMsgs(subscription, &count) == NATS_OK ? Int(count) : 0
  }

  /// Takes the next message.
  ///
  /// - Parameter milliseconds: The longest time to wait, 1 or more.
  func next(upTo milliseconds: Int64) -> Delivered {
    var message: OpaquePointer?
    let status = unsafe natsSubscription_NextMsg(&message, subscription, milliseconds)
    guard status == NATS_OK, let message = unsafe message else {
      return status == NATS_TIMEOUT ? .nothing : .broken(NATSFailure(status))
    }
    defer { unsafe natsMsg_Destroy(message) }
    // The sequence that the message itself has is 0 when a subscription delivers it.
    var facts: UnsafeMutablePointer<jsMsgMetaData>?
    let second = unsafe natsMsg_GetMetaData(&facts, message)
    guard second == NATS_OK, let facts = unsafe facts else {
      return .broken(NATSFailure(second, text: "a message without a sequence"))
    }
    defer { unsafe jsMsgMetaData_Destroy(facts) }
    let bytes = unsafe UnsafeRawBufferPointer(
      start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
    return unsafe .delivery(
      Delivery(
        message: ReplicatedMessage(
          sequence: facts.pointee.Sequence.Stream, time: facts.pointee.Timestamp / 1_000, bytes: Array(bytes)),
        count: facts.pointee.Sequence.Consumer))
  }
}
