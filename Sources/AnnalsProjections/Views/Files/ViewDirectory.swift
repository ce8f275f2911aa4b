package import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
package import AnnalsCoding
package import LMDB
import Synchronization

/// The directory `views` of a store, with the files of all views by number.
///
/// Names of projections never become names of files. Hold ``lock()`` to create or remove files, or to decide
/// by the files present.
package struct ViewDirectory: Sendable {
  static let directoryName = "views"
  /// The endings of a view's files in the order of their removal. Locks go first: while the file and its mark
  /// exist, the view is intact. If the file and its locks are gone, it was removed in order
  /// (``Listing/isLeftover``). The lease goes last.
  static let endings = [
    ".mdb-lock", ".open", ".queue", ".write", ".fold", ".mdb", ".state", ".lease",
  ]

  package let directory: Directory
  let access: StoreOptions.Access

  /// The files present for one number.
  package struct Listing: Sendable {
    package var number: UInt64
    /// The mark that names the view; `nil` if it is missing or malformed.
    var mark: ViewMark?
    /// Whether the file with its rows exists.
    var hasFile: Bool
    /// Whether the files are the rest of a removal or the beginning of a creation, and not the result of a
    /// loss.
    var isLeftover: Bool
    /// Whether only the lease exists, which keeps the highest number from being used again.
    var isUsed: Bool
  }

  /// Opens the directory. The first writer creates it.
  ///
  /// - Returns: `nil` for a reader of a store that has none.
  package static func open(in store: Directory, _ access: StoreOptions.Access) throws(AnnalsError)
    -> ViewDirectory?
  {
    try files { () throws(StoreFileError) in
      do throws(StoreFileError) {
        return ViewDirectory(directory: try store.directory(directoryName), access: access)
      } catch .missing {
        guard access == .readWrite else { return nil }
      }
      do throws(StoreFileError) {
        let created = try store.createDirectory(directoryName)
        try store.synchronize()
        return ViewDirectory(directory: created, access: access)
      } catch .alreadyThere {
        return ViewDirectory(directory: try store.directory(directoryName), access: access)
      }
    }
  }

  /// Briefly keeps others from creating and removing files of views.
  package func lock() throws(AnnalsError) -> FileLock.Hold {
    try files { () throws(StoreFileError) in
      try ViewFile.lockFile("views.lock", in: directory, access == .readWrite ? .readWrite : .readOnly)
        .lock(.exclusive)
    }
  }

  /// Removes leftover parts of marks after crashes. The caller must hold ``lock()``.
  func clearUp() throws(AnnalsError) {
    try files { () throws(StoreFileError) in
      try directory.removeUnfinishedReplacements { Self.parts(of: $0) != nil }
    }
  }

  /// Returns all numbers that have files, in order.
  package func listings() throws(AnnalsError) -> [Listing] {
    var listings: [Listing] = []
    for (number, endings) in try numbers().sorted(by: { $0.key < $1.key }) {
      let mark = try mark(of: number)
      listings.append(
        Listing(
          number: number, mark: mark, hasFile: endings.contains(".mdb"),
          isLeftover: !endings.contains(".mdb") && (!endings.contains(".open") || mark?.isSynced != true),
          isUsed: endings == [".lease"]))
    }
    return listings
  }

  /// Returns the endings of the existing files, by number.
  private func numbers() throws(AnnalsError) -> [UInt64: Set<String>] {
    let names = try files { () throws(StoreFileError) in try directory.names() }
    var found: [UInt64: Set<String>] = [:]
    for name in names {
      guard let (number, ending) = Self.parts(of: name) else { continue }
      found[number, default: []].insert(ending)
    }
    return found
  }

  /// Returns the number and the ending of a view's file; `nil` for any other file.
  private static func parts(of name: String) -> (UInt64, String)? {
    guard name.hasPrefix("v-"), let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let ending = String(name[dot...])
    guard endings.contains(ending), let number = UInt64(name[..<dot].dropFirst(2)), number > 0,
      name == ViewFile.stem(number) + ending
    else { return nil }
    return (number, ending)
  }

  /// Returns the mark of a view's file; `nil` if it is missing or malformed.
  package func mark(of number: UInt64) throws(AnnalsError) -> ViewMark? {
    let bytes: [UInt8]
    do throws(StoreFileError) {
      bytes = try directory.read(ViewFile.stem(number) + ".state", limit: ViewMark.limit)
    } catch {
      switch error {
      case .missing, .tooLarge, .notRegular: return nil
      default: throw AnnalsError(error)
      }
    }
    do throws(FormatFailure) { return try ViewMark(bytes) } catch { return nil }
  }

  /// Writes the mark of a view's file: the view it belongs to, and whether a power loss can damage it.
  func put(_ mark: ViewMark, for number: UInt64) throws(AnnalsError) {
    try files { () throws(StoreFileError) in
      try directory.replace(ViewFile.stem(number) + ".state", with: mark.encoded().span)
    }
  }

  /// Opens a view's file.
  ///
  /// - Parameters:
  ///   - core: The log of the view, as this process has it open. A process has one environment for each file,
  ///     so a reader opens it as a writer needs it.
  ///   - trust: Whether every page is checked before the rows are read.
  package func open(
    _ number: UInt64, called name: String, of core: LogCore, trust: StoreOptions.Trust = .own
  ) throws(AnnalsError) -> ViewFile {
    try ViewFile.open(
      number, called: name, in: directory, access: core.access == .readWrite ? .readWrite : .readOnly,
      trust: trust)
  }

  /// Creates the file of a view that has read nothing. The caller must hold ``lock()``.
  ///
  /// - Parameters:
  ///   - sources: The stored types that never reach the projection.
  ///   - plan: The last version of the plan that builds it.
  ///   - isCarrying: Whether rows of an earlier version will be converted into it.
  func create(
    _ outline: ProjectionOutline, _ inputs: ProjectionInputs,
    _ sources: ProjectionSources = ProjectionSources(), plan: SchemaVersion? = nil, isCarrying: Bool
  ) throws(AnnalsError) -> ViewFile {
    let number = (try listings().last?.number ?? 0) + 1
    // The mark comes before the file: after a power loss, a file whose mark is not on disk is removed
    // unopened.
    try put(
      ViewMark(name: outline.name, version: outline.version, boot: Boot.id ?? "", isSynced: false),
      for: number)
    do throws(AnnalsError) {
      let file = try ViewFile.open(number, called: outline.name, in: directory, create: true)
      file.isSynced.store(false, ordering: .relaxed)
      try file.environment.write(durability: .none, failure: AnnalsError.init) {
        (transaction) throws(AnnalsError) in
        try transaction.put(
          beginning: outline, inputs, sources, plan: plan, isCarrying: isCarrying, in: file)
      }
      return file
    } catch {
      // What stays is removed when files are chosen again.
      do throws(AnnalsError) { _ = try remove(number) } catch {}
      throw error
    }
  }

  /// Removes the files of a view unless a process has it open. The caller must hold ``lock()``.
  ///
  /// For the highest number the lease stays, so that no other view gets the number. Programs remember files
  /// by number to remove them once they are released, and would otherwise remove the wrong one.
  ///
  /// - Returns: Whether the files are gone.
  func remove(_ number: UInt64) throws(AnnalsError) -> Bool {
    let highest = try numbers().keys.max() ?? 0
    return try files { () throws(StoreFileError) in
      let stem = ViewFile.stem(number)
      let lease = try FileLock(stem + ".lease", in: directory)
      guard let hold = try lease.tryLock(.exclusive) else { return false }
      // The process that folds it has the right to do so instead of the lease.
      guard let fold = try freeFold(of: stem) else { return false }
      for ending in Self.endings where try directory.status(of: stem + ending) != nil {
        if ending == ".lease", number >= highest { break }
        try directory.remove(stem + ending)
      }
      try directory.synchronize()
      _ = consume hold
      _ = consume fold
      return true
    }
  }

  /// The right to fold a view that is about to be removed, or proof that it has no lock for that.
  private enum FreeFold: ~Copyable {
    case held(FileLock.Hold)
    case missing
  }

  /// Takes the right to fold a view that is about to be removed.
  ///
  /// - Returns: `nil` if a process folds it.
  private func freeFold(of stem: String) throws(StoreFileError) -> FreeFold? {
    do throws(StoreFileError) {
      let lock = try FileLock(stem + ".fold", in: directory, create: false)
      guard let hold = try lock.tryLock(.exclusive) else { return nil }
      return .held(hold)
    } catch .missing {
      return .missing
    }
  }

  /// Takes the right to fold a view.
  ///
  /// - Returns: `nil` if another process, or another store of this one, has it.
  func foldLease(_ number: UInt64) throws(AnnalsError) -> FoldLease? {
    try files { () throws(StoreFileError) in
      let lock = try FileLock(ViewFile.stem(number) + ".fold", in: directory)
      guard let hold = try lock.tryLock(.exclusive) else { return nil }
      return FoldLease(hold)
    }
  }
}

/// The right to fold a view, held until this value ends.
final class FoldLease: Sendable {
  private let hold: FileLock.Hold

  init(_ hold: consuming FileLock.Hold) {
    self.hold = hold
  }
}
