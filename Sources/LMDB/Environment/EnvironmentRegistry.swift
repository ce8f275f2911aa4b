/// The environments that are open in this process, by file.
///
/// LMDB must not open one file twice in a process: the first close would drop the locks of both. That holds
/// for a data file, and for a lock file, which stays if the data file is replaced. The lock is held while an
/// environment is opened or closed, always after `open.lock` and never before it.
enum EnvironmentRegistry {
  /// An environment, and its handle while nothing retains it any more but it is not closed yet.
  struct Entry: Sendable {
    weak var environment: Environment?
    let handle: EnvironmentHandle
    /// The lock file that LMDB has open, if it uses one.
    let lockFile: FileIdentity?
  }

  private static let entries = Monitor<[FileIdentity: Entry]>([:])

  /// The address space for all maps of a process, half of the 128 TiB that 48-bit machines give one.
  private static let space = 1 << 46

  /// Returns the largest map for one more environment next to `entries`: a 64th of the remaining space, but
  /// at least 16 GiB.
  ///
  /// The first one may have 1 TiB. For any number of environments, space remains for memory and for the
  /// stacks of threads, without which the process would end.
  static func share(beside entries: [FileIdentity: Entry]) -> Int {
    let taken = entries.values.reduce(0) { $0 + $1.handle.mapSize }
    return max((space - taken) / 64, 1 << 34)
  }

  /// Calls `body` while no other environment is opened or closed.
  static func exclusively<R>(
    _ body: (inout [FileIdentity: Entry]) throws(EnvironmentError) -> R
  ) throws(EnvironmentError) -> R {
    try entries.withLock(body)
  }

  /// Returns the environment of an entry.
  ///
  /// - Returns: `nil` if nothing retains it any more. It is closed then, because its last user may wait for
  ///   `open.lock`, which the caller has.
  static func environment(
    of identity: FileIdentity, in entries: inout [FileIdentity: Entry]
  ) -> Environment? {
    guard let entry = entries[identity] else { return nil }
    if let environment = entry.environment { return environment }
    entry.handle.close()
    entries[identity] = nil
    return nil
  }

  /// Closes an environment that nothing retains any more.
  static func close(_ handle: EnvironmentHandle, of identity: FileIdentity) {
    entries.withLock { entries in
      handle.close()
      if entries[identity]?.handle === handle { entries[identity] = nil }
    }
  }
}
