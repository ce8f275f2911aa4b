internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What an unfinished pass has left: a file that is being built, named by the generation in use, and nothing else that could be taken for it.
struct UnfinishedPass {
  let source: Generation
  let directory: Directory
  let locks: EnvironmentLocks
  /// What the generation in use says of the pass.
  let row: PassRow

  private var current: CurrentFile { CurrentFile(log: source.meta.log, generation: row.other) }

  /// The file, if the pass can go on with it; `nil` if it must begin anew.
  ///
  /// - Throws: ``AnnalsError`` with code `foreign` for a file that is another's.
  func target() throws(AnnalsError) -> (PassTarget, PassRow)? {
    guard try isThere(), try isUsable() else { return nil }
    let target: PassTarget
    do throws(AnnalsError) { target = try PassTarget.open(current, in: directory, locks) } catch {
      // A file whose first commit was cut short, or whose pages never reached the disk.
      guard [.damaged, .incomplete, .notAStore, .formatVersion].contains(error.code) else { throw error }
      return nil
    }
    let found = try target.read { (reader) throws(AnnalsError) -> PassRow? in
      guard try reader.meta().log == source.meta.log else { return nil }
      if let found = try reader.pass() { return found.id == row.id ? found : nil }
      guard try reader.predecessor()?.generation == source.current.generation else { return nil }
      // Everything was ready but the seal.
      var found = row
      found.other = source.current.generation
      found.position = try reader.last()
      return found
    }
    guard let found else { return nil }
    try target.reopen(for: found)
    return (target, found)
  }

  /// Removes the file and all that belongs to it, then the name that the generation in use has for it.
  ///
  /// Only behind the end of every use of the file. The old generation is as it was before the pass, but for the number that is used up.
  func remove(_ atPoint: (PassPoint) -> Void) throws(AnnalsError) {
    try mustBeOurs()
    atPoint(.removing)
    try files { () throws(StoreFileError) in
      let file = current.fileName
      for name in [file, file + "-lock", BuildMark.name(generation: row.other), current.leaseName]
      where try directory.status(of: name) != nil {
        try directory.remove(name)
      }
      try directory.synchronize()
    }
    atPoint(.removed)
    try source.environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      guard try StoreReader(transaction.view, source.tables).pass() == row else { return }
      try transaction.remove(PassRow.name, in: source.tables.meta)
    }
    atPoint(.cleared)
  }

  private func isThere() throws(AnnalsError) -> Bool {
    try files { () throws(StoreFileError) in try directory.status(of: current.fileName) } != nil
  }

  /// Whether no power cut can have spoiled the file.
  private func isUsable() throws(AnnalsError) -> Bool {
    let name = BuildMark.name(generation: row.other)
    let bytes: [UInt8]
    do throws(StoreFileError) { bytes = try directory.read(name, limit: BuildMark.limit) } catch {
      // Without its mark nothing is known of it.
      if case .missing = error { return false }
      throw AnnalsError(error)
    }
    do { return try BuildMark(bytes).isUsable(in: Boot.id) } catch { return false }
  }

  /// Throws unless the file is missing, unreadable as what a cut-short creation leaves, or this pass's.
  ///
  /// The number was given to this pass by the generation in use, and numbers are given once: nobody else can have made the file by the rules.
  /// A whole file of another log or pass is there against the rules, and is not touched.
  private func mustBeOurs() throws(AnnalsError) {
    guard try isThere(), try isUsable() else { return }
    let target: PassTarget
    do throws(AnnalsError) { target = try PassTarget.open(current, in: directory, locks) } catch { return }
    let isOurs = try target.read { (reader) throws(AnnalsError) in
      let meta = try reader.meta()
      if meta.log != source.meta.log { return false }
      // Behind its last round the row is gone, and the seal has not come.
      guard let found = try reader.pass() else {
        return try reader.predecessor()?.generation == source.current.generation
      }
      return found.id == row.id
    }
    guard isOurs else {
      throw AnnalsError(
        .foreign,
        "'\(current.fileName)' is not what the unfinished pass has left, so it is not removed: find out where it comes from, and move it away",
        details: AnnalsError.Details { $0.file = current.fileName })
    }
  }
}
