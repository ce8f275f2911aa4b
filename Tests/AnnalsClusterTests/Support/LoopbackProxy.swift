import Foundation
import Synchronization

/// Forwards connections on the loopback to a server, until they are cut.
final class LoopbackProxy: Sendable {
  private struct State: Sendable {
    var isCut = false
    var isClosed = false
    /// Both ends of each connection.
    var open: Set<Int32> = []
  }

  let port: UInt16
  private let target: UInt16
  private let listener: Int32
  private let state = Mutex(State())

  init(to target: UInt16) throws {
    self.target = target
    port = try FreePorts.take(1)[0]
    listener = Loopback.socket()
    guard listener >= 0, Loopback.listen(listener, at: port) else { throw CocoaError(.fileReadUnknown) }
  }

  /// Begins to forward.
  func start() {
    let thread = Thread { self.accept() }
    thread.start()
  }

  /// Ends all connections, and new ones as soon as they are made.
  func cut() {
    state.withLock { state in
      state.isCut = true
      for number in state.open { shutdown(number, Int32(SHUT_RDWR)) }
    }
  }

  /// Forwards new connections again.
  func restore() { state.withLock { $0.isCut = false } }

  /// Ends the proxy.
  func close() {
    state.withLock { $0.isClosed = true }
    cut()
    shutdown(listener, Int32(SHUT_RDWR))
  }

  private func accept() {
    while !state.withLock({ $0.isClosed }) {
      let client = Foundation.accept(listener, nil, nil)
      guard client >= 0 else { break }
      _ = fcntl(client, F_SETFD, FD_CLOEXEC)
      let server = Loopback.socket()
      let isWanted =
        Loopback.connect(server, to: target)
        && state.withLock { state in
          guard !state.isCut, !state.isClosed else { return false }
          state.open.formUnion([client, server])
          return true
        }
      guard isWanted else {
        Foundation.close(client)
        Foundation.close(server)
        continue
      }
      // The connection ends when both directions have.
      let directions = Countdown(2)
      for (from, to) in [(client, server), (server, client)] {
        let thread = Thread { [self] in
          Self.copy(from, to)
          guard directions.countDown() == 0 else { return }
          state.withLock { $0.open.subtract([client, server]) }
          Foundation.close(client)
          Foundation.close(server)
        }
        thread.start()
      }
    }
    Foundation.close(listener)
  }

  private static func copy(_ from: Int32, _ to: Int32) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe recv(from, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      var sent = 0
      while sent < count {
        let more = unsafe buffer.withUnsafeBytes { bytes in
          unsafe send(to, bytes.baseAddress?.advanced(by: sent), count - sent, Int32(MSG_NOSIGNAL))
        }
        guard more > 0 else { break }
        sent += more
      }
      guard sent == count else { break }
    }
    shutdown(from, Int32(SHUT_RDWR))
    shutdown(to, Int32(SHUT_RDWR))
  }
}

/// A count that threads lower.
private final class Countdown: Sendable {
  private let count: Mutex<Int>

  init(_ count: Int) { self.count = Mutex(count) }

  func countDown() -> Int {
    count.withLock { count in
      count -= 1
      return count
    }
  }
}
