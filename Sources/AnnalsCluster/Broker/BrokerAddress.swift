internal import AnnalsCoding
internal import Foundation

/// Where a shared log is, and how to get there.
struct BrokerAddress: Sendable {
  /// The addresses of the servers, such as `nats://10.0.0.1:4222`.
  let servers: [String]
  let name: LogName
  /// The number of servers that keep the log: 1, 3 or 5.
  let replicas: Int
  /// The path of a file with a user's token and key; `nil` for none.
  let credentials: String?
  let security: ClusterTLS?

  /// Creates an address.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` or `invalidName`.
  init(
    servers: [String], name: String, replicas: Int, credentials: String?, security: ClusterTLS?
  ) throws(AnnalsError) {
    guard !servers.isEmpty else {
      throw AnnalsError(.wrongUse, "a shared log needs the address of at least one server")
    }
    guard [1, 3, 5].contains(replicas) else {
      throw AnnalsError(.wrongUse, "a shared log is kept by 1, 3 or 5 servers, not by \(replicas)")
    }
    for server in servers where ServerPlace(server) == nil {
      // The address itself may have a password in it.
      throw AnnalsError(.wrongUse, "the address of a server has the form nats://HOST:PORT or tls://HOST:PORT")
    }
    self.servers = servers
    self.name = try LogName(name)
    self.replicas = replicas
    self.credentials = credentials
    self.security = security
  }
}

/// The host and the port in the address of a server.
struct ServerPlace: Equatable, Sendable {
  let host: String
  let port: UInt16

  /// Reads an address; `nil` if it has no host or a wrong port.
  init?(_ address: String) {
    var rest = Substring(address)
    if let scheme = rest.range(of: "://") {
      guard ["nats", "tls"].contains(rest[..<scheme.lowerBound]) else { return nil }
      rest = rest[scheme.upperBound...]
    }
    // What is before the last @ are a user and a password.
    if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]") else { return nil }
      host = String(rest[rest.index(after: rest.startIndex)..<end])
      rest = rest[rest.index(after: end)...]
    } else {
      let end = rest.firstIndex(of: ":") ?? rest.endIndex
      host = String(rest[..<end])
      rest = rest[end...]
    }
    guard !host.isEmpty else { return nil }
    if rest.isEmpty {
      port = 4222
    } else {
      guard rest.first == ":", let port = UInt16(rest.dropFirst()), port > 0 else { return nil }
      self.port = port
    }
  }
}
