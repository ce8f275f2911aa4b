/// What a server says of itself when a client connects.
struct ServerFacts: Equatable, Sendable {
  var name = ""
  var version = ""
  var hasJetStream = false
  var longestMessage = 0
}

/// What should be changed at the broker so that an acknowledged append is durable.
enum BrokerAdvice {
  /// The setting without which a server acknowledges what only its memory has.
  static let durability =
    "an acknowledged append is on disk only with `sync_interval: always` in the server's jetstream block, "
    + "and survives the loss of a server only with 3 replicas; a client cannot see the first setting"

  /// Returns the warnings; empty if nothing that a client can see should be changed.
  ///
  /// - Parameters:
  ///   - servers: The servers that answered.
  ///   - replicas: The number of servers that keep the log.
  static func warnings(servers: [ServerFacts], replicas: Int) -> [String] {
    var warnings: [String] = []
    var seen: Set<String> = []
    for server in servers {
      let version = ServerVersion(server.version)
      if let version, version >= .recommended { continue }
      let name = version.map { "\($0)" } ?? "'\(server.version)'"
      guard seen.insert(name).inserted else { continue }
      warnings.append(
        "nats-server \(name) is older than \(ServerVersion.recommended): upgrade. Older servers have lost "
          + "acknowledged messages after a crash, and have no setting that writes before they acknowledge")
    }
    if replicas < 3 {
      warnings.append(
        "the log has \(replicas) \(replicas == 1 ? "replica" : "replicas"): with fewer than 3, the loss of a "
          + "server stops appends or loses the log")
    }
    if !warnings.isEmpty { warnings.append(durability) }
    return warnings
  }
}
