internal import CNATS
internal import Foundation
internal import Synchronization

/// A connection to the servers of a broker, which the library renews by itself.
///
/// `@unchecked Sendable`: both pointers are constants. The library guards what they point to with its own
/// locks; its documentation allows calls from any thread. They are freed in `deinit`, when no other thread
/// can have them.
@safe
final class NATSConnection: @unchecked Sendable {
  /// The header with the id of a message.
  ///
  /// It is not the header by which the broker recognises copies. Each server recognises them by a memory of
  /// its own, which ends at another moment than that of the others. A server that passed over a copy which
  /// the others stored gave all later messages another sequence.
  static let idHeader = "Annals-Id"
  /// The milliseconds after which a server that does not read counts as lost.
  private static let patience: Int64 = 2_000

  private let connection: OpaquePointer
  private let context: OpaquePointer
  private let route: UInt
  /// The addresses of subscriptions that have ended and are not freed yet.
  private let retired: Mutex<[UInt]> = Mutex([])

  /// Begins to connect. Blocks while the servers are tried once, then goes on in the background.
  ///
  /// - Parameters:
  ///   - address: The servers, and how to get there.
  ///   - sendsAtOnce: Whether each message is sent by the thread that publishes it. Otherwise the library
  ///     collects messages for up to a millisecond.
  ///   - answered: Called on a thread of the library with the answer to each publish.
  /// - Throws: ``NATSFailure`` if a file cannot be read, or a server refuses the user.
  init(
    to address: BrokerAddress, sendsAtOnce: Bool = true, answered: @escaping AckRoutes.Receiver
  ) throws(NATSFailure) {
    let options = try NATSOptions()
    try options.set(address, patience: Self.patience, sendsAtOnce: sendsAtOnce)
    var connection: OpaquePointer?
    let status = unsafe natsConnection_Connect(&connection, options.pointer)
    guard let made = unsafe connection, status == NATS_OK || status == NATS_NOT_YET_CONNECTED else {
      unsafe natsConnection_Destroy(connection)
      throw NATSFailure(status)
    }
    let route = AckRoutes.add(answered)
    var settings = unsafe jsOptions()
    unsafe jsOptions_Init(&settings)
    unsafe settings.Wait = Self.patience
    // Publishing.swift bounds what is under way; this limit is never reached.
    unsafe settings.PublishAsync.MaxPending = 1 << 20
    unsafe settings.PublishAsync.AckHandler = AckRoutes.handler
    unsafe settings.PublishAsync.AckHandlerClosure = UnsafeMutableRawPointer(bitPattern: route)
    var context: OpaquePointer?
    let second = unsafe natsConnection_JetStream(&context, made, &settings)
    guard let ready = unsafe context, second == NATS_OK else {
      AckRoutes.remove(route)
      unsafe natsConnection_Destroy(made)
      throw NATSFailure(second)
    }
    unsafe self.connection = made
    unsafe self.context = ready
    self.route = route
  }

  deinit {
    // No answer is of interest any more; the route goes first, so that none arrives half-way.
    AckRoutes.remove(route)
    // This ends the thread that delivers messages, so it comes before all that the thread may look at.
    unsafe natsConnection_Close(connection)
    free(retired.withLock { $0 })
    unsafe jsCtx_Destroy(context)
    unsafe natsConnection_Destroy(connection)
  }

  /// Ends a subscription, and frees it once the thread that delivers messages cannot look at it any more.
  ///
  /// The library lets that thread find a subscription and lock it afterwards, without a claim to it in
  /// between. A subscription that was freed meanwhile ended the program. The answer to a ping passes through
  /// the same thread, so what ended before the ping is free of it.
  func retire(_ subscription: OpaquePointer) {
    // A closed connection has ended it already.
    unsafe natsSubscription_Unsubscribe(subscription)
    let ended = retired.withLock { retired in
      retired.append(UInt(bitPattern: subscription))
      return retired
    }
    guard unsafe natsConnection_FlushTimeout(connection, 1_000) == NATS_OK else { return }
    let mine = retired.withLock { retired in
      let mine = retired.filter(ended.contains)
      retired.removeAll(where: mine.contains)
      return mine
    }
    free(mine)
  }

  private func free(_ subscriptions: [UInt]) {
    for address in subscriptions { unsafe natsSubscription_Destroy(OpaquePointer(bitPattern: address)) }
  }

  /// Whether a server is connected now.
  var isConnected: Bool { unsafe natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED }
  /// Whether the library has stopped trying, which it does if the servers refuse the user.
  var isClosed: Bool { unsafe natsConnection_IsClosed(connection) }
  /// The most bytes of a message that the connected server takes.
  var longestMessage: Int { unsafe Int(natsConnection_GetMaxPayload(connection)) }

  /// The last failure of the connection.
  var lastFailure: NATSFailure? {
    var text: UnsafePointer<CChar>?
    let status = unsafe natsConnection_GetLastError(connection, &text)
    guard status != NATS_OK else { return nil }
    return unsafe NATSFailure(status, text: text.map { unsafe String(cString: $0) })
  }

  /// The address of the connected server; `nil` while there is none.
  var server: String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer in
      guard let start = buffer.baseAddress,
        unsafe natsConnection_GetConnectedUrl(connection, start, buffer.count) == NATS_OK
      else { return nil }
      let text = unsafe String(cString: start)
      return text.isEmpty ? nil : text
    }
  }

  /// Hands a message to the library. The answer goes to the receiver.
  ///
  /// - Parameters:
  ///   - bytes: The content.
  ///   - id: The id of the message. Messages of one id have the same contents.
  ///   - subject: The subject.
  func publish(_ bytes: [UInt8], id: String, to subject: String) throws(NATSFailure) {
    var message: OpaquePointer?
    let made = unsafe bytes.withUnsafeBytes { bytes in
      unsafe natsMsg_Create(
        &message, subject, nil, UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self),
        Int32(bytes.count))
    }
    try NATSFailure.check(made)
    // The library takes the message and clears the pointer, or leaves both.
    defer { unsafe natsMsg_Destroy(message) }
    guard let created = unsafe message else { throw NATSFailure(.passing, "no memory for a message") }
    try NATSFailure.check(unsafe natsMsgHeader_Set(created, Self.idHeader, id))
    var options = unsafe jsPubOptions()
    unsafe jsPubOptions_Init(&options)
    unsafe options.MaxWait = Self.patience
    try NATSFailure.check(unsafe js_PublishMsgAsync(context, &message, &options))
  }

  /// Calls `body` with the library's connection.
  func withConnection<R>(_ body: (OpaquePointer) throws(NATSFailure) -> R) throws(NATSFailure) -> R {
    try unsafe body(connection)
  }

  /// Calls `body` with the library's context.
  func withContext<R>(_ body: (OpaquePointer) throws(NATSFailure) -> R) throws(NATSFailure) -> R {
    try unsafe body(context)
  }
}
