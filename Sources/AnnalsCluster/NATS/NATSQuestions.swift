internal import CNATS

/// Messages at a subject of this program, outside of any stream: questions and answers, and what a server
/// delivers.
///
/// `@unchecked Sendable`: the pointer is a constant. The library guards what it points to with its own locks.
/// It is given back to the connection in `deinit`, when no other thread of this program can have it.
@safe
final class NATSQuestions: @unchecked Sendable {
  /// A message.
  struct Received: Sendable {
    /// Where an answer goes.
    let reply: String?
    let bytes: [UInt8]
    /// Where a server that waits for the reader wants an answer.
    var stalled: String?
    /// The number of messages that the server has sent so far.
    var lastSent: UInt64?
    /// The id that the writer of the message gave it.
    var id: String?
    /// The bytes of its contents, which may not have been sent.
    var size: Int
  }

  private let subscription: OpaquePointer
  private let connection: NATSConnection

  /// Begins to receive messages.
  init(_ connection: NATSConnection, at subject: String) throws(NATSFailure) {
    unsafe subscription = try connection.withConnection { connection throws(NATSFailure) in
      var made: OpaquePointer?
      try NATSFailure.check(unsafe natsConnection_SubscribeSync(&made, connection, subject))
      guard let made = unsafe made else { throw NATSFailure(.passing, "no subscription") }
      // The server's flow control bounds what waits here. The library would discard messages at a limit.
      unsafe natsSubscription_SetPendingLimits(made, -1, -1)
      return unsafe made
    }
    self.connection = connection
  }

  deinit { unsafe connection.retire(subscription) }

  /// The number of messages that wait here.
  var waiting: Int {
    var count: UInt64 = 0
    return unsafe natsSubscription_QueuedMsgs(subscription, &count) == NATS_OK ? Int(count) : 0
  }

  /// Takes the next message; `nil` if there is none within the time.
  func take(upTo milliseconds: Int64) -> Received? {
    var message: OpaquePointer?
    guard unsafe natsSubscription_NextMsg(&message, subscription, milliseconds) == NATS_OK,
      let message = unsafe message
    else { return nil }
    defer { unsafe natsMsg_Destroy(message) }
    let bytes = unsafe UnsafeRawBufferPointer(
      start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
    let reply = unsafe natsMsg_GetReply(message).map { unsafe String(cString: $0) }
    var received = unsafe Received(reply: reply, bytes: Array(bytes), size: bytes.count)
    received.id = unsafe Self.header(NATSConnection.idHeader, message)
    // Only messages without contents are signs of a server.
    if received.bytes.isEmpty {
      received.stalled = unsafe Self.header("Nats-Consumer-Stalled", message)
      received.lastSent = unsafe Self.header("Nats-Last-Consumer", message).flatMap { UInt64($0) }
      if let size = unsafe Self.header("Nats-Msg-Size", message).flatMap({ Int($0) }) { received.size = size }
    }
    return received
  }

  /// Sends an answer.
  func answer(_ bytes: [UInt8], to reply: String) throws(NATSFailure) {
    try unsafe connection.withConnection { connection throws(NATSFailure) in
      try NATSFailure.check(
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe natsConnection_Publish(connection, reply, bytes.baseAddress, Int32(bytes.count))
        })
    }
  }

  private static func header(_ name: String, _ message: OpaquePointer) -> String? {
    var text: UnsafePointer<CChar>?
    guard unsafe natsMsgHeader_Get(message, name, &text) == NATS_OK else { return nil }
    return unsafe text.map { unsafe String(cString: $0) }
  }
}

extension NATSConnection {
  /// Sends bytes to a subject, without an answer.
  func send(_ bytes: [UInt8], to subject: String) throws(NATSFailure) {
    try unsafe withConnection { connection throws(NATSFailure) in
      try NATSFailure.check(
        unsafe bytes.withUnsafeBytes { bytes in
          unsafe natsConnection_Publish(connection, subject, bytes.baseAddress, Int32(bytes.count))
        })
    }
  }

  /// Makes a subject that no other program has.
  static func newInbox() throws(NATSFailure) -> String {
    var inbox: UnsafeMutablePointer<CChar>?
    try NATSFailure.check(unsafe natsInbox_Create(&inbox))
    defer { unsafe natsInbox_Destroy(inbox) }
    guard let text = unsafe inbox else { throw NATSFailure(.passing, "no place for answers") }
    return unsafe String(cString: text)
  }

  /// Asks a question and collects answers.
  ///
  /// - Parameters:
  ///   - subject: Where the question goes.
  ///   - milliseconds: The time to wait for answers.
  func ask(at subject: String, for milliseconds: Int64) throws(NATSFailure) -> [[UInt8]] {
    let reply = try Self.newInbox()
    let answers = try NATSQuestions(self, at: reply)
    try unsafe withConnection { connection throws(NATSFailure) in
      try NATSFailure.check(unsafe natsConnection_PublishRequest(connection, subject, reply, nil, 0))
    }
    let end = Clock.now + Int(milliseconds) * 1_000_000
    var found: [[UInt8]] = []
    while Clock.now < end {
      let answer = answers.take(upTo: max(Int64((end - Clock.now) / 1_000_000), 1))
      if let answer, !answer.bytes.isEmpty { found.append(answer.bytes) }
    }
    return found
  }
}
