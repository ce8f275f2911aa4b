public import AnnalsCoding
internal import LMDB

extension EventLog {
  /// The programs that have the store open with a plan now, in no order: every ``EventStore``, those of this process too.
  ///
  /// What killed programs have left is removed, unless the log is open for reading only. A reader that may not create a file in the store's directory is not among them.
  ///
  /// - Throws: ``AnnalsError`` with code `inputOutput` or `permission`.
  /// - Complexity: O(files in the store's directory).
  public func programs() throws(AnnalsError) -> [LiveProgram] {
    try ProgramLeases(core.generation.directory, mayRemove: options.access == .readWrite).living()
  }
}

/// The leases in a store's directory.
struct ProgramLeases: Sendable {
  /// How many leases a sweep looks at: some milliseconds.
  static let sweep = 256

  private let directory: Directory
  private let mayRemove: Bool

  init(_ directory: Directory, mayRemove: Bool) {
    self.directory = directory
    self.mayRemove = mayRemove
  }

  /// Removes what killed programs have left, at a bounded cost: one sweep looks at ``sweep`` leases at most.
  func removeLeftovers() {
    // What cannot be removed now is removed by a later open, and is no live program's either way.
    do {
      try HeldFile.sweep(in: directory, lookingAt: Self.sweep) { ProgramLeaseFile.isName($0) }
    } catch {}
  }

  /// The programs whose leases are held; what others have left is removed.
  func living() throws(AnnalsError) -> [LiveProgram] {
    let found = try files { () throws(StoreFileError) in
      try HeldFile.all(in: directory, limit: ProgramLeaseFile.limit, removing: mayRemove) {
        ProgramLeaseFile.isName($0)
      }
    }
    return found.filter(\.isHeld).map { file in
      do throws(FormatFailure) {
        let lease = try ProgramLeaseFile(file.content ?? [])
        return LiveProgram(version: lease.version, skipsNewerTypes: lease.skips, process: file.process)
      } catch {
        return LiveProgram(version: nil, process: file.process)
      }
    }
  }
}
