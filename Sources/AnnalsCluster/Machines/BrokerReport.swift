package import AnnalsCoding
internal import AnnalsReplication
internal import Foundation

/// What the servers of a cluster have and are.
package struct BrokerReport: Sendable {
  /// A server.
  package struct Server: Sendable {
    package let name: String
    package let version: String
  }

  /// The servers that answer, in the order of the addresses.
  package let servers: [Server]
  /// The number of addresses.
  package let addresses: Int
  /// The number of servers that keep the log.
  package let replicas: Int
  /// The server that leads it; empty on a single server.
  package let leader: String
  /// The first and the last sequence, and the number of those that were removed between them.
  package let first: UInt64
  package let last: UInt64
  package let removed: UInt64
  package let bytes: UInt64
  /// What should be changed.
  package let warnings: [String]
}

extension JetStreamLog {
  /// Asks the servers what they have and are.
  package func report(within limit: Duration) async throws(AnnalsError) -> BrokerReport {
    let facts = try await stream(within: limit)
    let greetings = await greetings(within: limit)
    return BrokerReport(
      servers: greetings.map { BrokerReport.Server(name: $0.name, version: $0.version) },
      addresses: serverCount, replicas: facts.replicas, leader: facts.leader, first: facts.first,
      last: facts.last, removed: facts.removed, bytes: facts.bytes,
      warnings: BrokerAdvice.warnings(servers: greetings, replicas: facts.replicas))
  }
}

extension ClusterLog {
  /// Connects to the log without a store.
  ///
  /// - Parameter creates: Whether a missing log is created.
  package func connect(creates: Bool) throws(AnnalsError) -> JetStreamLog {
    let address = try BrokerAddress(
      servers: servers, name: name, replicas: replicas, credentials: credentials?.path, security: tls)
    return try JetStreamLog(address, creates: creates)
  }
}
