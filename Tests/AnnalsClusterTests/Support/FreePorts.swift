import Foundation
import Synchronization

/// Ports on the loopback that nothing uses.
///
/// They are below those that the system gives to outgoing connections, so that none of these takes one before
/// a server starts, or while it is down.
enum FreePorts {
  private static let used: Mutex<Set<UInt16>> = Mutex([])

  static func take(_ count: Int) throws -> [UInt16] {
    var ports: [UInt16] = []
    for _ in 0..<10_000 where ports.count < count {
      let port = UInt16.random(in: 12_000..<32_000)
      if used.withLock({ $0.insert(port).inserted }), isFree(port) { ports.append(port) }
    }
    guard ports.count == count else { throw CocoaError(.fileReadUnknown) }
    return ports
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let number = Loopback.socket()
    guard number >= 0 else { return false }
    defer { close(number) }
    return Loopback.listen(number, at: port)
  }
}
