internal import AnnalsCoding
internal import LMDB
import Synchronization

/// The directory `views` of a store: the files of all views, by number.
///
/// Names of projections never become names of files. Whoever creates or removes files, or decides by what is there, holds ``lock()``.
struct ViewShelf: Sendable {
  static let directoryName = "views"
  /// The endings of a view's files in the order of their removal. Locks go first: as long as the file and its mark are there, it is as it was, and where the file is gone
  /// and its locks are too, it was removed in order (``Listing/isLeftover``). The lease goes last.
  static let endings = [
    ".mdb-lock", ".open", ".queue", ".write", ".fold", ".mdb", ".state", ".lease",
  ]

  let directory: Directory
  let access: StoreOptions.Access

  /// What the names of files say of one number.
  struct Listing: Sendable {
    var number: UInt64
    /// Which view it is; `nil` where the mark is missing or is none.
    var mark: ViewMark?
    /// Whether the file of its rows is there.
    var hasFile: Bool
    /// Whether what is there is the rest of a removal or the beginning of a creation, and not what somebody has lost.
    var isLeftover: Bool
    /// Whether nothing but the lease is there, which keeps the highest number from being used again.
    var isUsed: Bool
  }

  /// Opens the directory, which the first writer creates.
  ///
  /// - Returns: `nil` for a reader of a store that has none.
  static func open(in store: Directory, _ access: StoreOptions.Access) throws(AnnalsError) -> ViewShelf? {
    try files { () throws(StoreFileError) in
      do throws(StoreFileError) {
        return ViewShelf(directory: try store.directory(directoryName), access: access)
      } catch .missing {
        guard access == .readWrite else { return nil }
      }
      do throws(StoreFileError) {
        let created = try store.createDirectory(directoryName)
        try store.synchronize()
        return ViewShelf(directory: created, access: access)
      } catch .alreadyThere {
        return ViewShelf(directory: try store.directory(directoryName), access: access)
      }
    }
  }

  /// Keeps others from creating and removing files of views; for a moment.
  func lock() throws(AnnalsError) -> FileLock.Hold {
    try files { () throws(StoreFileError) in
      try ViewFile.lockFile("views.lock", in: directory, access == .readWrite ? .readWrite : .readOnly)
        .lock(.exclusive)
    }
  }

  /// Removes what crashes have left of marks; only for the holder of ``lock()``.
  func clearUp() throws(AnnalsError) {
    try files { () throws(StoreFileError) in
      try directory.removeUnfinishedReplacements { Self.parts(of: $0) != nil }
    }
  }

  /// All numbers that any file has, in their order.
  func listings() throws(AnnalsError) -> [Listing] {
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

  /// The endings of the files that there are, by number.
  private func numbers() throws(AnnalsError) -> [UInt64: Set<String>] {
    let names = try files { () throws(StoreFileError) in try directory.names() }
    var found: [UInt64: Set<String>] = [:]
    for name in names {
      guard let (number, ending) = Self.parts(of: name) else { continue }
      found[number, default: []].insert(ending)
    }
    return found
  }

  /// The number and the ending of a view's file; `nil` for any other file.
  private static func parts(of name: String) -> (UInt64, String)? {
    guard name.hasPrefix("v-"), let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
    let ending = String(name[dot...])
    guard endings.contains(ending), let number = UInt64(name[..<dot].dropFirst(2)), number > 0,
      name == ViewFile.stem(number) + ending
    else { return nil }
    return (number, ending)
  }

  /// Which view a file is of; `nil` where its mark is missing or is none.
  func mark(of number: UInt64) throws(AnnalsError) -> ViewMark? {
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

  /// Says which view a file is of, and whether a power cut can spoil it.
  func put(_ mark: ViewMark, for number: UInt64) throws(AnnalsError) {
    try files { () throws(StoreFileError) in
      try directory.replace(ViewFile.stem(number) + ".state", with: mark.encoded().span)
    }
  }

  /// Opens a view's file.
  ///
  /// - Parameter core: The log that it is of, as this process has it open. A process has one environment of a file: whoever only reads opens it as those need it who write.
  func open(_ number: UInt64, called name: String, of core: LogCore) throws(AnnalsError) -> ViewFile {
    try ViewFile.open(
      number, called: name, in: directory, access: core.access == .readWrite ? .readWrite : .readOnly)
  }

  /// Creates the file of a view that has read nothing; only for the holder of ``lock()``.
  ///
  /// - Parameters:
  ///   - plan: The last version of the plan that builds it.
  ///   - isCarrying: Whether rows of an earlier version will be carried into it.
  func create(
    _ outline: ProjectionOutline, _ inputs: ProjectionInputs, plan: SchemaVersion? = nil, isCarrying: Bool
  ) throws(AnnalsError) -> ViewFile {
    let number = (try listings().last?.number ?? 0) + 1
    // Before there is a file: after a power cut one whose mark the disk does not have is removed unopened.
    try put(
      ViewMark(name: outline.name, version: outline.version, boot: Boot.id ?? "", isSynced: false),
      for: number)
    let file = try ViewFile.open(number, called: outline.name, in: directory, create: true)
    file.isSynced.store(false, ordering: .relaxed)
    try file.environment.write(durability: .none, failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      try transaction.put(beginning: outline, inputs, plan: plan, isCarrying: isCarrying, in: file)
    }
    return file
  }

  /// Removes the files of a view unless somebody has it open; only for the holder of ``lock()``.
  ///
  /// Of the highest number the lease stays, so that no other view gets that number: who remembers files by it, to remove them when they are let go of, would remove
  /// the wrong one.
  ///
  /// - Returns: Whether they are gone.
  func remove(_ number: UInt64) throws(AnnalsError) -> Bool {
    let highest = try numbers().keys.max() ?? 0
    return try files { () throws(StoreFileError) in
      let stem = ViewFile.stem(number)
      let lease = try FileLock(stem + ".lease", in: directory)
      guard let hold = try lease.tryLock(.exclusive) else { return false }
      for ending in Self.endings where try directory.status(of: stem + ending) != nil {
        if ending == ".lease", number >= highest { break }
        try directory.remove(stem + ending)
      }
      try directory.synchronize()
      _ = consume hold
      return true
    }
  }

  /// Takes the right to fold a view.
  ///
  /// - Returns: `nil` where another process, or another store of this one, has it.
  func foldLease(_ number: UInt64) throws(AnnalsError) -> FoldLease? {
    try files { () throws(StoreFileError) in
      let lock = try FileLock(ViewFile.stem(number) + ".fold", in: directory)
      guard let hold = try lock.tryLock(.exclusive) else { return nil }
      return FoldLease(hold)
    }
  }
}

/// The right to fold a view, until this ends.
final class FoldLease: Sendable {
  private let hold: FileLock.Hold

  init(_ hold: consuming FileLock.Hold) {
    self.hold = hold
  }
}
