/// The environments that are open in this process, by file.
///
/// LMDB must not open one file twice in a process: the first close would drop the locks of both.
/// The lock is held while an environment is opened or closed, always after `open.lock` and never before it.
enum EnvironmentRegistry {
  /// An environment and what is left of it while nobody has it any more but it is not closed yet.
  struct Entry: Sendable {
    weak var environment: Environment?
    let handle: EnvironmentHandle
  }

  private static let entries = Monitor<[FileIdentity: Entry]>([:])

  /// Runs `body`, while no other environment is opened or closed.
  static func exclusively<R>(
    _ body: (inout [FileIdentity: Entry]) throws(EnvironmentError) -> R
  ) throws(EnvironmentError) -> R {
    try entries.withLock(body)
  }

  /// Closes an environment that nobody has any more.
  static func close(_ handle: EnvironmentHandle, of identity: FileIdentity) {
    entries.withLock { entries in
      handle.close()
      if entries[identity]?.handle === handle { entries[identity] = nil }
    }
  }
}
