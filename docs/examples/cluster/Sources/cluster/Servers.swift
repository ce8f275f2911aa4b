import Foundation

/// Three NATS servers on this machine's loopback.
final class Servers {
  private let folder: URL
  private let ports: [Int]
  private var processes: [Process?] = [nil, nil, nil]

  /// Starts the servers, with their files in `folder`.
  init(in folder: URL) throws {
    self.folder = folder
    ports = Self.freePorts(6)
    for index in 0..<3 { try start(index) }
  }

  deinit { for index in 0..<3 { kill(index) } }

  /// The addresses for programs.
  var addresses: [String] { ports[..<3].map { "nats://127.0.0.1:\($0)" } }

  func start(_ index: Int) throws {
    let routes = ports[3...].map { "\"nats://127.0.0.1:\($0)\"" }.joined(separator: ", ")
    let file = folder.appending(path: "server-\(index).conf")
    try """
    server_name: server-\(index)
    listen: "127.0.0.1:\(ports[index])"
    jetstream { store_dir: "\(folder.appending(path: "server-\(index)").path)" }
    cluster { name: example, listen: "127.0.0.1:\(ports[3 + index])", routes: [ \(routes) ] }
    """.write(to: file, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(filePath: "/usr/sbin/nats-server")
    process.arguments = ["-c", file.path]
    process.standardError = FileHandle.nullDevice
    try process.run()
    processes[index] = process
  }

  /// Ends a server as a crash does.
  func kill(_ index: Int) {
    guard let process = processes[index] else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    processes[index] = nil
  }

  /// Ports that nothing uses. Lower than those of outgoing connections, so that none takes one meanwhile.
  private static func freePorts(_ count: Int) -> [Int] {
    var ports: Set<Int> = []
    while ports.count < count {
      let port = Int.random(in: 12_000..<32_000)
      if isFree(port) { ports.insert(port) }
    }
    return ports.shuffled()
  }

  private static func isFree(_ port: Int) -> Bool {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(number) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
  }
}
