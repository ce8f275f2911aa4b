#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A file to which a process appends notes about its actions. Others can read it after the process was
/// killed.
///
/// A written line is in the system's memory, which survives the end of the process.
package struct Journal: Sendable {
  private let descriptor: Int32

  /// Opens the journal at `path`, or begins it.
  package init(path: String) throws {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw SystemFailure(call: "open", errno: errno) }
  }

  /// Adds a line.
  package func note(_ words: String...) throws {
    var line = Array(words.joined(separator: " ").utf8)
    line.append(UInt8(ascii: "\n"))
    // One call: a line that was begun by a killed process would spoil the next one.
    let count = unsafe write(descriptor, line, line.count)
    guard count == line.count else { throw SystemFailure(call: "write", errno: errno) }
  }

  /// The words of each line of the journal at `path`; empty if it was not begun.
  package static func lines(path: String) throws -> [[String]] {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      if errno == ENOENT { return [] }
      throw SystemFailure(call: "open", errno: errno)
    }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe read(file, &buffer, buffer.count)
      guard count >= 0 else { throw SystemFailure(call: "read", errno: errno) }
      if count == 0 { break }
      bytes += buffer.prefix(count)
    }
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
      .map { $0.split(separator: " ").map(String.init) }
  }

  /// The time of a clock that all processes share and that never goes back, in nanoseconds.
  package static var now: UInt64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}

/// A call that the system refused, in a test.
package struct SystemFailure: Error {
  package let call: String
  package let errno: Int32

  /// The failure of `call`.
  package init(call: String, errno: Int32) {
    self.call = call
    self.errno = errno
  }
}
