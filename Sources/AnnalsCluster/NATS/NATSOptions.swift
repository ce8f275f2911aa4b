internal import CNATS
internal import Foundation

/// The library's options for one connection.
@safe
struct NATSOptions: ~Copyable {
  let pointer: OpaquePointer

  /// Creates options that nothing was set in.
  init() throws(NATSFailure) {
    var made: OpaquePointer?
    try NATSFailure.check(unsafe natsOptions_Create(&made))
    guard let pointer = unsafe made else { throw NATSFailure(.passing, "no memory for options") }
    unsafe self.pointer = pointer
  }

  /// Sets all that is needed for a connection.
  ///
  /// - Parameters:
  ///   - address: The servers, and how to get there.
  ///   - patience: The milliseconds to wait for a server that does not answer.
  ///   - sendsAtOnce: Whether each message is sent by the thread that publishes it.
  func set(_ address: BrokerAddress, patience: Int64, sendsAtOnce: Bool) throws(NATSFailure) {
    try setServers(address.servers)
    try unsafe set { unsafe natsOptions_SetName($0, "annals") }
    try unsafe set { unsafe natsOptions_SetTimeout($0, patience) }
    // A server that is stopped but not gone keeps its connections: without these it is noticed after minutes.
    try unsafe set { unsafe natsOptions_SetPingInterval($0, 2_000) }
    try unsafe set { unsafe natsOptions_SetMaxPingsOut($0, 2) }
    try unsafe set { unsafe natsOptions_SetWriteDeadline($0, patience) }
    try unsafe set { unsafe natsOptions_SetMaxReconnect($0, -1) }
    try unsafe set { unsafe natsOptions_SetReconnectWait($0, 50) }
    try unsafe set { unsafe natsOptions_SetReconnectJitter($0, 20, 20) }
    // Only the servers that the program names: those that servers name are often unreachable from here, or
    // have certificates of other names.
    try unsafe set { unsafe natsOptions_SetIgnoreDiscoveredServers($0, true) }
    // The handler makes the call return at once; there is nothing to do when a connection is there.
    try unsafe set { unsafe natsOptions_SetRetryOnFailedConnect($0, true, { _, _ in }, nil) }
    // Without one the library prints errors.
    try unsafe set { unsafe natsOptions_SetErrorHandler($0, { _, _, _, _ in }, nil) }
    // Otherwise a thread of the library sends what has collected, a millisecond later.
    try unsafe set { unsafe natsOptions_SetSendAsap($0, sendsAtOnce) }
    if let file = address.credentials {
      try unsafe set { unsafe natsOptions_SetUserCredentialsFromFiles($0, file, nil) }
    }
    guard let security = address.security else { return }
    try unsafe set { unsafe natsOptions_SetSecure($0, true) }
    if let file = security.authorities?.path {
      try unsafe set { unsafe natsOptions_LoadCATrustedCertificates($0, file) }
    }
    if let file = security.certificate?.path, let key = security.key?.path {
      try unsafe set { unsafe natsOptions_LoadCertificatesChain($0, file, key) }
    }
  }

  deinit { unsafe natsOptions_Destroy(pointer) }

  private func set(_ call: (OpaquePointer) -> natsStatus) throws(NATSFailure) {
    try NATSFailure.check(unsafe call(pointer))
  }

  private func setServers(_ servers: [String]) throws(NATSFailure) {
    // The library copies the texts during the call.
    var texts: [UnsafePointer<CChar>?] = unsafe servers.map { unsafe UnsafePointer(strdup($0)) }
    defer { unsafe texts.forEach { unsafe free(UnsafeMutablePointer(mutating: $0)) } }
    try NATSFailure.check(unsafe natsOptions_SetServers(pointer, &texts, Int32(texts.count)))
  }
}
