import FaultPrograms
import Foundation

/// A process that runs the fault program and is killed by its test.
final class Child {
  let process: pid_t
  private let output: Int32

  /// How a process ended.
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
  }

  /// The fault program, which is built next to the tests.
  static let program: String = {
    // Some of these programs are meant to end by a signal. A backtrace would take long and keep their output
    // open.
    _ = unsafe setenv("SWIFT_BACKTRACE", "enable=no", 1)
    let tests =
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
      ?? CommandLine.arguments[0]
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent("FaultTool")
      .path
  }()

  /// Starts the fault program with these arguments.
  static func run(_ arguments: String...) throws -> Child {
    try Child([program] + arguments)
  }

  /// Starts a program, given its path and then its arguments.
  init(_ arguments: [String]) throws {
    var ends: [Int32] = [0, 0]
    guard unsafe pipe(&ends) == 0 else { throw SystemFailure(call: "pipe", errno: errno) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
    var words = unsafe arguments.map { unsafe strdup($0) }
    defer { unsafe words.forEach { unsafe free($0) } }
    unsafe words.append(nil)
    var process: pid_t = 0
    let code = unsafe posix_spawn(&process, arguments[0], &actions, nil, words, environ)
    close(ends[1])
    guard code == 0 else {
      close(ends[0])
      throw SystemFailure(call: "posix_spawn", errno: code)
    }
    self.process = process
    output = ends[0]
  }

  deinit { close(output) }

  /// The output of the process that has not been read yet.
  func text() -> String {
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(output, &bytes, bytes.count)
    return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
  }

  /// The number of seconds for something a process certainly does. A test waits no longer than the process
  /// takes.
  private static let patience = 300.0

  /// Whether the process has written something, after at most `seconds`.
  func speaks(within seconds: Double = patience) -> Bool {
    var wanted = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&wanted, 1, Int32(seconds * 1000)) > 0 && wanted.revents & Int16(POLLIN) != 0
  }

  /// How it ended, if it has.
  func ended() throws -> End? {
    var status: Int32 = 0
    let result = unsafe waitpid(process, &status, WNOHANG)
    guard result >= 0 else { throw SystemFailure(call: "waitpid", errno: errno) }
    return result == 0 ? nil : status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
  }

  /// Waits for its end, at most `seconds`.
  ///
  /// - Returns: `nil` if it has not ended; it is then killed.
  func wait(_ seconds: Double = patience) throws -> End? {
    let deadline = Journal.now + UInt64(seconds * 1e9)
    while Journal.now < deadline {
      if let end = try ended() { return end }
      usleep(500)
    }
    _ = try kill()
    return nil
  }

  /// Stops it, or lets it go on.
  func stop(_ stops: Bool) {
    Glibc.kill(process, stops ? SIGSTOP : SIGCONT)
  }

  /// Kills it.
  @discardableResult
  func kill() throws -> End {
    if let end = try ended() { return end }
    Glibc.kill(process, SIGKILL)
    var status: Int32 = 0
    guard unsafe waitpid(process, &status, 0) == process else {
      throw SystemFailure(call: "waitpid", errno: errno)
    }
    return status & 0x7f == 0 ? .exit(status >> 8 & 0xff) : .signal(status & 0x7f)
  }
}
