public import Foundation

/// The log that the machines of a cluster share: where it is, and how to connect to it.
public struct ClusterLog: Sendable {
  let servers: [String]
  let name: String
  let replicas: Int
  let credentials: URL?
  let tls: ClusterTLS?

  /// A log in a stream of NATS JetStream.
  ///
  /// The first program that opens a store with it creates the stream. All programs of a cluster use the same
  /// name; each may list the servers in a different order.
  ///
  /// - Parameters:
  ///   - servers: The addresses of all servers, such as `nats://10.0.0.1:4222` or `tls://db1.example:4222`.
  ///   - name: The name of the log: 1 to 64 of the characters A-Z, a-z, 0-9, - and _.
  ///   - replicas: The number of servers that keep the log: 1, 3 or 5. With three, the log survives the loss
  ///     of one server. It has an effect only when the log is created.
  ///   - credentials: A file with a user's token and key, as `nsc` writes it.
  ///   - tls: The settings of encrypted connections; `nil` leaves that to the addresses.
  public static func jetStream(
    servers: [String], name: String, replicas: Int = 3, credentials: URL? = nil, tls: ClusterTLS? = nil
  ) -> ClusterLog {
    ClusterLog(servers: servers, name: name, replicas: replicas, credentials: credentials, tls: tls)
  }
}
