import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import AnnalsCluster

/// One or three NATS servers of a test, on the loopback, with directories of their own.
///
/// All are ended when the object goes, also those that are paused.
final class NATSServers: Sendable {
  private struct Server: Sendable {
    let port: UInt16
    let routes: UInt16
    let configuration: String
    var process: Int32?
  }

  /// The directory with the configurations, the files and the output of all servers.
  let directory: TemporaryDirectory
  private let servers: Mutex<[Server]>
  private let program: String

  /// Starts the servers.
  ///
  /// - Parameters:
  ///   - count: 1, or 3 as a cluster.
  ///   - extra: More lines of configuration.
  init(_ count: Int, extra: String = "") throws {
    program = try #require(NATSProgram.path)
    directory = try TemporaryDirectory()
    let ports = try FreePorts.take(count * 2)
    let routes = ports[count...].map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
    // A server refuses a route of another cluster's name. Another test may get the port of one that is down.
    let cluster = UUID().uuidString
    var made: [Server] = []
    for index in 0..<count {
      var text = """
        server_name: n\(index)
        listen: "127.0.0.1:\(ports[index])"
        max_payload: 8MB
        jetstream { store_dir: "\(directory.path("n\(index)"))", max_file_store: 4GB, max_memory_store: 256MB }
        \(extra)

        """
      if count > 1 {
        text += """
          cluster { name: "\(cluster)", listen: "127.0.0.1:\(ports[count + index])", routes: [ \(routes) ] }

          """
      }
      let file = try directory.file("n\(index).conf", text)
      made.append(Server(port: ports[index], routes: ports[count + index], configuration: file.path))
    }
    servers = Mutex(made)
    for index in 0..<count { try start(index) }
  }

  deinit {
    for index in 0..<count { kill(index) }
  }

  /// The number of servers.
  var count: Int { servers.withLock { $0.count } }
  /// The ports for clients.
  var ports: [UInt16] { servers.withLock { $0.map(\.port) } }
  /// The addresses for clients.
  var addresses: [String] { ports.map { "nats://127.0.0.1:\($0)" } }

  /// Starts a server that is not running.
  func start(_ index: Int) throws {
    let server = servers.withLock { $0[index] }
    guard server.process == nil else { return }
    let log = unsafe open(directory.path("n\(index).log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    defer { close(log) }
    // Not by `Process`: its exit handler and descriptors are not needed, and a test starts many.
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, log, 1)
    unsafe posix_spawn_file_actions_adddup2(&actions, log, 2)
    var number: pid_t = 0
    let words = [program, "-c", server.configuration]
    var arguments: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe arguments.forEach { unsafe free($0) } }
    let code = unsafe posix_spawn(&number, program, &actions, nil, &arguments, environ)
    guard code == 0 else { throw CocoaError(.executableLoad) }
    servers.withLock { $0[index].process = number }
  }

  /// Ends a server as a crash does.
  func kill(_ index: Int) { end(index, with: SIGKILL) }
  /// Removes all that a server has stored; it must not be running.
  func wipe(_ index: Int) throws {
    try FileManager.default.removeItem(atPath: directory.path("n\(index)"))
  }
  /// Asks a server to end, and waits until it has.
  func stop(_ index: Int) { end(index, with: SIGTERM) }
  /// Stops a server's threads, and returns once all have stopped; its connections stay.
  func pause(_ index: Int) {
    signal(index, SIGSTOP)
    guard let process = servers.withLock({ $0[index].process }) else { return }
    // Until then, a busy machine may let the server answer. A server that has ended is left to `end`.
    var state = unsafe siginfo_t()
    while unsafe waitid(P_PID, id_t(process), &state, WSTOPPED | WEXITED | WNOWAIT) != 0, errno == EINTR {}
  }
  /// Lets a paused server go on.
  func resume(_ index: Int) { signal(index, SIGCONT) }

  /// The last lines of a server's log, for a message.
  func lastWords(_ index: Int) -> String {
    let text = (try? String(contentsOfFile: directory.path("n\(index).log"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").suffix(12).joined(separator: "\n")
  }

  /// An address of a log on these servers.
  func address(_ name: String = "orders", ports: [UInt16]? = nil) throws -> BrokerAddress {
    try BrokerAddress(
      servers: (ports ?? self.ports).map { "nats://127.0.0.1:\($0)" }, name: name,
      replicas: count == 1 ? 1 : 3, credentials: nil, security: nil)
  }

  /// The server that leads a log.
  func leader(of log: JetStreamLog) async throws -> Int {
    let name = try await log.stream(within: .seconds(30)).leader
    return Int(name.dropFirst()) ?? 0
  }

  private func signal(_ index: Int, _ number: Int32) {
    if let process = servers.withLock({ $0[index].process }) { Foundation.kill(process, number) }
  }

  private func end(_ index: Int, with number: Int32) {
    let process = servers.withLock { servers in
      defer { servers[index].process = nil }
      return servers[index].process
    }
    guard let process else { return }
    Foundation.kill(process, number)
    // A paused server ends only when it goes on.
    Foundation.kill(process, SIGCONT)
    var status: Int32 = 0
    unsafe waitpid(process, &status, 0)
  }
}
