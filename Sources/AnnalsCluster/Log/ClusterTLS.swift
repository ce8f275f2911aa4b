public import Foundation

/// How the connections to the servers of a cluster are encrypted.
public struct ClusterTLS: Sendable {
  /// The file with the certificates of the authorities to trust, in PEM; `nil` for those of the system.
  public var authorities: URL?
  /// The file with this program's certificate, in PEM; `nil` if the servers ask for none.
  public var certificate: URL?
  /// The file with the key of ``certificate``, in PEM.
  public var key: URL?

  /// Creates the settings of an encrypted connection.
  ///
  /// - Parameters:
  ///   - authorities: The file with the certificates of the authorities to trust.
  ///   - certificate: The file with this program's certificate.
  ///   - key: The file with the key of `certificate`.
  public init(authorities: URL? = nil, certificate: URL? = nil, key: URL? = nil) {
    self.authorities = authorities
    self.certificate = certificate
    self.key = key
  }
}
