public import AnnalsCoding
internal import AnnalsFormat
package import LMDB

extension EventLog {
  /// Returns the programs that have the store open with a plan now, in no particular order: every
  /// ``EventStore``, including those of this process. A member of a cluster includes the programs of all
  /// machines that it has heard from recently.
  ///
  /// Leases of killed programs are removed, unless the log is open for reading only. A reader that may not
  /// create a file in the store's directory is not included.
  ///
  /// - Throws: ``AnnalsError`` with code `inputOutput` or `permission`.
  /// - Complexity: O(files in the store's directory).
  public func programs() throws(AnnalsError) -> [LiveProgram] {
    let own = try ProgramLeases(
      core.generation.directory, mayRemove: options.access == .readWrite
    ).living()
    return own + (options.sequencer?.programs ?? [])
  }
}

/// The leases in a store's directory.
package struct ProgramLeases: Sendable {
  /// The maximum number of leases that a sweep checks: some milliseconds.
  static let sweep = 256

  private let directory: Directory
  private let mayRemove: Bool

  package init(_ directory: Directory, mayRemove: Bool) {
    self.directory = directory
    self.mayRemove = mayRemove
  }

  /// Removes leases of killed programs, at a bounded cost: one sweep checks ``sweep`` leases at most.
  package func removeLeftovers() {
    // A later open removes the remaining ones. Either way they are of no live program.
    do {
      try HeldFile.sweep(in: directory, lookingAt: Self.sweep) { ProgramLeaseFile.isName($0) }
    } catch {}
  }

  /// Returns the programs whose leases are held, and removes the other leases.
  package func living() throws(AnnalsError) -> [LiveProgram] {
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
