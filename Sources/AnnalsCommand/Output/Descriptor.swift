#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// An open file of the process, which another owner closes.
///
/// All input and output goes through it.
struct Descriptor: Sendable {
  fileprivate let number: Int32

  static let standardInput = Descriptor(number: STDIN_FILENO)
  static let standardOutput = Descriptor(number: STDOUT_FILENO)
  static let standardError = Descriptor(number: STDERR_FILENO)

  /// Whether it is a terminal.
  var isTerminal: Bool { isatty(number) == 1 }

  /// Whether somebody may still read the output; `false` for a pipe or terminal that was closed at its other
  /// end.
  var hasReader: Bool {
    var state = pollfd(fd: number, events: 0, revents: 0)
    return unsafe poll(&state, 1, 0) <= 0 || Int32(state.revents) & (POLLERR | POLLHUP) == 0
  }

  /// Reads the next bytes, at most `count`; empty at the end.
  func read(atMost count: Int) throws(SystemError) -> [UInt8] {
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        filled = try whenReady(POLLIN) { unsafe systemRead(number, buffer.baseAddress, count) }
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }

  /// Writes all of `bytes`.
  func write(_ bytes: [UInt8]) throws(SystemError) {
    var start = 0
    while start < bytes.count {
      start += try whenReady(POLLOUT) {
        unsafe bytes.withUnsafeBytes { buffer in
          unsafe systemWrite(number, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
        }
      }
    }
  }

  /// Repeats a call until it transfers something. Another program that shares the descriptor may have made it
  /// non-blocking.
  private func whenReady(_ event: Int32, _ call: () -> Int) throws(SystemError) -> Int {
    while true {
      do throws(SystemError) {
        return try SystemError.check(call)
      } catch {
        guard error.code == EAGAIN else { throw error }
        var wanted = pollfd(fd: number, events: Int16(event), revents: 0)
        _ = try SystemError.check { unsafe poll(&wanted, 1, -1) }
      }
    }
  }
}

extension Descriptor {
  /// The settings of a terminal.
  func terminalSettings() throws(SystemError) -> termios {
    var settings = termios()
    _ = try SystemError.check { unsafe tcgetattr(number, &settings) }
    return settings
  }

  /// Sets the settings of a terminal.
  func set(_ settings: termios) throws(SystemError) {
    var settings = settings
    _ = try SystemError.check { unsafe tcsetattr(number, TCSADRAIN, &settings) }
  }

  /// The rows and columns of a terminal; `nil` if they are not known.
  var terminalSize: (rows: Int, columns: Int)? {
    var size = winsize()
    guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
      return nil
    }
    return (Int(size.ws_row), Int(size.ws_col))
  }

  /// Waits until something can be read, or the input has ended.
  func isReadable(within milliseconds: Int) throws(SystemError) -> Bool {
    var wanted = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
    let count = unsafe poll(&wanted, 1, Int32(clamping: milliseconds))
    // A signal ended the wait early, and the caller looks again.
    guard count >= 0 || errno == EINTR else { throw SystemError(code: errno) }
    return count > 0
  }
}

/// A file opened for reading; it is closed when this value ends.
struct InputFile: ~Copyable {
  let descriptor: Descriptor

  /// Opens the file at `path`, whose bytes contain no zero.
  init(path: [UInt8]) throws(SystemError) {
    let ended = path.map { CChar(bitPattern: $0) } + [0]
    descriptor = Descriptor(
      number: try SystemError.check { unsafe open(ended, O_RDONLY | O_CLOEXEC) })
  }

  deinit {
    // Nothing was written, so nothing can be lost here.
    _ = close(descriptor.number)
  }
}

/// The error of a system call.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  /// The system's `errno`.
  let code: Int32

  /// Repeats a call that a signal interrupted.
  static func check<Result: SignedInteger>(_ call: () -> Result) throws(SystemError) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      guard code == EINTR else { throw SystemError(code: code) }
    }
  }

  /// Whether the reader has closed its end.
  var isClosed: Bool { code == EPIPE }

  /// Whether a disk, a quota or the limit of a file's size is exhausted.
  var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

  /// Whether this user lacks permission.
  var isPermission: Bool { [EACCES, EPERM].contains(code) }

  /// The system's own message.
  package var description: String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "errno \(code)"
  }
}

private func systemRead(_ number: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(number, bytes, count)
}

private func systemWrite(_ number: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(number, bytes, count)
}
