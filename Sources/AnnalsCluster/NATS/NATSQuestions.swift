internal import CNATS

/// Questions at a subject, and their answers. Nothing of them is stored.
///
/// `@unchecked Sendable`: the pointer is a constant. The library guards what it points to with its own locks.
/// It is freed in `deinit`, when no other thread can have it.
@safe
final class NATSQuestions: @unchecked Sendable {
  private let subscription: OpaquePointer
  private let connection: NATSConnection

  /// Begins to receive questions, or answers.
  init(_ connection: NATSConnection, at subject: String) throws(NATSFailure) {
    unsafe subscription = try connection.withConnection { connection throws(NATSFailure) in
      var made: OpaquePointer?
      try NATSFailure.check(unsafe natsConnection_SubscribeSync(&made, connection, subject))
      guard let made = unsafe made else { throw NATSFailure(.passing, "no subscription") }
      return unsafe made
    }
    self.connection = connection
  }

  deinit { unsafe natsSubscription_Destroy(subscription) }

  /// Waits for a question, and returns where its answer goes.
  func next(upTo milliseconds: Int64) -> String? {
    take(upTo: milliseconds)?.reply
  }

  /// Waits for the bytes of an answer.
  func nextAnswer(upTo milliseconds: Int64) -> [UInt8]? {
    take(upTo: milliseconds)?.bytes
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

  private func take(upTo milliseconds: Int64) -> (reply: String?, bytes: [UInt8])? {
    var message: OpaquePointer?
    guard unsafe natsSubscription_NextMsg(&message, subscription, milliseconds) == NATS_OK,
      let message = unsafe message
    else { return nil }
    defer { unsafe natsMsg_Destroy(message) }
    let bytes = unsafe UnsafeRawBufferPointer(
      start: natsMsg_GetData(message), count: Int(natsMsg_GetDataLength(message)))
    let reply = unsafe natsMsg_GetReply(message).map { unsafe String(cString: $0) }
    return unsafe (reply, Array(bytes))
  }
}

extension NATSConnection {
  /// Asks a question and collects answers.
  ///
  /// - Parameters:
  ///   - subject: Where the question goes.
  ///   - milliseconds: The time to wait for answers.
  func ask(at subject: String, for milliseconds: Int64) throws(NATSFailure) -> [[UInt8]] {
    var inbox: UnsafeMutablePointer<CChar>?
    try NATSFailure.check(unsafe natsInbox_Create(&inbox))
    defer { unsafe natsInbox_Destroy(inbox) }
    guard let text = unsafe inbox else { throw NATSFailure(.passing, "no place for answers") }
    let reply = unsafe String(cString: text)
    let answers = try NATSQuestions(self, at: reply)
    try unsafe withConnection { connection throws(NATSFailure) in
      try NATSFailure.check(unsafe natsConnection_PublishRequest(connection, subject, reply, nil, 0))
    }
    let end = Clock.now + Int(milliseconds) * 1_000_000
    var found: [[UInt8]] = []
    while Clock.now < end {
      if let bytes = answers.nextAnswer(upTo: max(Int64((end - Clock.now) / 1_000_000), 1)), !bytes.isEmpty {
        found.append(bytes)
      }
    }
    return found
  }
}
