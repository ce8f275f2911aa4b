import Foundation

/// The program nats-server, which most tests here need.
enum NATSProgram {
  /// The path of the program; `nil` if none is installed.
  ///
  /// The environment variable ANNALS_NATS_SERVER names another one.
  static let path: String? = {
    if let path = ProcessInfo.processInfo.environment["ANNALS_NATS_SERVER"], !path.isEmpty { return path }
    return ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"]
      .map { $0 + "/nats-server" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// What a skipped test says.
  static let missing = "needs nats-server: on Debian, apt-get install -y --no-install-recommends nats-server"
}
