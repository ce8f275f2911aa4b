import Foundation
import LMDB

/// A child made by `fork`, which Swift hides but a C library in the same program may well call.
enum ForkedChild {
  /// Runs `body` in a child process.
  ///
  /// - Returns: The result of `body`, from 0 to 255.
  static func run(_ body: () -> Int32) -> Int32? {
    typealias Fork = @convention(c) () -> pid_t
    guard let symbol = unsafe dlsym(nil, "fork") else { return nil }
    let fork = unsafe unsafeBitCast(symbol, to: Fork.self)
    let child = fork()
    if child == 0 { _exit(body()) }
    var status: Int32 = 0
    guard unsafe waitpid(child, &status, 0) == child, status & 0x7F == 0 else { return nil }
    return status >> 8
  }

  /// The number of refusals among three uses of an environment, because the process is a child.
  static func refusals(of environment: Environment, _ shelf: Shelf) -> Int32 {
    let uses: [() throws -> Void] = [
      { try environment.beginRead().end() },
      { try environment.beginWrite().abort() },
      { _ = try shelf.open() },
    ]
    var refusals: Int32 = 0
    for use in uses {
      do { try use() } catch {
        if error as? EnvironmentError == .file(.usedAfterFork) { refusals += 1 }
      }
    }
    return refusals
  }
}
