import Foundation

/// Sockets on 127.0.0.1.
enum Loopback {
  /// Creates a socket; negative if the system has none.
  static func socket() -> Int32 {
    #if canImport(Glibc)
      let number = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let number = Foundation.socket(AF_INET, SOCK_STREAM, 0)
    #endif
    // A server that a test starts must not have it.
    if number >= 0 { _ = fcntl(number, F_SETFD, FD_CLOEXEC) }
    return number
  }

  /// Makes the socket listen.
  static func listen(_ number: Int32, at port: UInt16) -> Bool {
    var yes: Int32 = 1
    unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    return unsafe withAddress(port) { unsafe bind(number, $0, $1) } == 0 && Foundation.listen(number, 64) == 0
  }

  /// Connects the socket.
  static func connect(_ number: Int32, to port: UInt16) -> Bool {
    unsafe withAddress(port) { unsafe Foundation.connect(number, $0, $1) } == 0
  }

  private static func withAddress<R>(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
