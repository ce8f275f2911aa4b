#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// This program once more, or another one, in a process of its own.
struct ChildProcess: Sendable {
  /// A process that could not be started or waited for.
  struct Failure: Error, CustomStringConvertible {
    let function: String
    let errno: Int32

    var description: String { "\(function) failed (errno \(errno))" }
  }

  /// How a process ended.
  enum End: Equatable, Sendable {
    case exited(Int32)
    case killed(Int32)
  }

  private let id: pid_t

  /// Starts this program with these arguments and this process's environment, output and errors.
  init(_ arguments: [String]) throws(Failure) {
    try self.init(Self.program, ["annals-bench"] + arguments)
  }

  /// Starts the program at `path` with these words, its name among them.
  init(_ path: String, _ words: [String]) throws(Failure) {
    let environment = ProcessInfo.processInfo.environment.map { "\($0.key)=\($0.value)" }
    var id: pid_t = 0
    var words = unsafe words.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer {
      unsafe words.forEach { unsafe free($0) }
      unsafe variables.forEach { unsafe free($0) }
    }
    let code = unsafe posix_spawn(&id, path, nil, nil, &words, &variables)
    guard code == 0 else { throw Failure(function: "posix_spawn", errno: code) }
    self.id = id
  }

  /// Where this program's file is.
  static var program: String {
    #if canImport(Glibc)
      "/proc/self/exe"
    #else
      CommandLine.arguments[0]
    #endif
  }

  /// Ends the process at once; nothing of it runs any more afterwards.
  func kill() throws(Failure) {
    #if canImport(Glibc)
      let code = Glibc.kill(id, SIGKILL)
    #else
      let code = Darwin.kill(id, SIGKILL)
    #endif
    guard code == 0 else { throw Failure(function: "kill", errno: errno) }
  }

  /// How the process ended; `nil` while it runs. It can be asked only once after that.
  func end() throws(Failure) -> End? {
    try end(WNOHANG)
  }

  /// Waits until the process has ended. It can be asked only once.
  func wait() throws(Failure) -> End {
    while true {
      if let end = try end(0) { return end }
    }
  }

  private func end(_ options: Int32) throws(Failure) -> End? {
    var status: Int32 = 0
    let code = unsafe waitpid(id, &status, options)
    if code == 0 || (code < 0 && errno == EINTR) { return nil }
    guard code == id else { throw Failure(function: "waitpid", errno: errno) }
    // As the macros of sys/wait.h have it.
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .killed(signal)
  }
}
