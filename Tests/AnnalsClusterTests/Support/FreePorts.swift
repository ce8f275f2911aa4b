import Foundation
import Synchronization

/// Ports on the loopback that nothing uses.
///
/// They are below those that the system gives to outgoing connections, so that none of these takes one before
/// a server starts, or while it is down. Test programs that run at the same time have different ones: each
/// locks a byte of a common file for a port, until it ends.
enum FreePorts {
  private struct State {
    var used: Set<UInt16> = []
    /// The descriptor of the common file; closing it would end all locks of this program.
    var file: Int32?
  }

  private static let state = Mutex(State())

  static func take(_ count: Int) throws -> [UInt16] {
    var ports: [UInt16] = []
    for _ in 0..<10_000 where ports.count < count {
      let port = UInt16.random(in: 12_000..<32_000)
      if try claim(port), isFree(port) { ports.append(port) }
    }
    guard ports.count == count else { throw CocoaError(.fileReadUnknown) }
    return ports
  }

  /// Locks a port for this program; `false` if this one or another one has it.
  private static func claim(_ port: UInt16) throws -> Bool {
    try state.withLock { state in
      guard !state.used.contains(port) else { return false }
      let file = try state.file ?? open()
      state.file = file
      var claim = flock()
      claim.l_type = Int16(F_WRLCK)
      claim.l_whence = Int16(SEEK_SET)
      claim.l_start = off_t(port)
      claim.l_len = 1
      guard unsafe fcntl(file, F_SETLK, &claim) == 0 else { return false }
      state.used.insert(port)
      return true
    }
  }

  private static func open() throws -> Int32 {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("annals-test-ports").path
    let file = unsafe Foundation.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw CocoaError(.fileWriteUnknown) }
    return file
  }

  private static func isFree(_ port: UInt16) -> Bool {
    let number = Loopback.socket()
    guard number >= 0 else { return false }
    defer { close(number) }
    return Loopback.listen(number, at: port)
  }
}
