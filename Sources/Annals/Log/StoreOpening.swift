internal import LMDB

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The steps of opening a store that exists (docs/durability.md). None of them changes a byte of the data.
struct StoreOpening {
  let directory: Directory
  let options: StoreOptions

  /// What an opened store consists of.
  struct Opened {
    var current: CurrentFile
    var environment: Environment
    var lease: FileLock?
    var meta: StoreMeta
    var kinds: KindRegistry
  }

  /// Opens the generation that `CURRENT` names.
  ///
  /// `open.lock` is held inside, around LMDB's own open, and nowhere else: an environment that ends on this thread takes it too.
  /// So `CURRENT` is read again afterwards, and another generation that it names by then is opened in turn.
  func run() throws(AnnalsError) -> Opened {
    while true {
      let current = try readCurrent()
      do throws(AnnalsError) {
        let opened = try open(current)
        if try readCurrent() == current { return opened }
      } catch {
        if try readCurrent() == current { throw error }
      }
    }
  }

  private func open(_ current: CurrentFile) throws(AnnalsError) -> Opened {
    let isReadOnlyMount = try files { () throws(StoreFileError) in try directory.fileSystem().isReadOnly }
    guard !isReadOnlyMount || options.access == .readOnly else {
      throw AnnalsError(
        .readOnly, "the file system is mounted read-only; open the store with access .readOnly")
    }
    let canCreate = options.access == .readWrite
    let (locks, lease) = try files { () throws(StoreFileError) -> (EnvironmentLocks?, FileLock?) in
      // Where nobody can write there is nobody to lock out.
      if isReadOnlyMount { return (nil, nil) }
      let locks = EnvironmentLocks(
        open: try lockFile("open.lock"), queue: try lockFile("queue.lock"), write: try lockFile("write.lock"))
      return (locks, try lockFile(current.leaseName))
    }
    if options.trust == .nobody { try StorePages(directory, current).mustBeSound(only: options.scope) }
    var environmentOptions = EnvironmentOptions(access: canCreate ? .readWrite : .readOnly)
    environmentOptions.guards = options.guards
    let environment = try storage { () throws(EnvironmentError) in
      try Environment.open(
        current.fileName, in: directory, tables: StoreTables.definitions, locks: locks,
        options: environmentOptions)
    }
    let (meta, kinds) = try check(environment, against: current)
    return Opened(
      current: current, environment: environment, lease: lease, meta: meta, kinds: kinds)
  }

  /// Opens a lock file; one that is missing, as in a copy of the store, is created.
  func lockFile(_ name: String) throws(StoreFileError) -> FileLock {
    if options.access == .readWrite { return try FileLock(name, in: directory) }
    // To be allowed to read it is enough for a reader.
    do { return try FileLock(name, in: directory, create: false) } catch .missing {
      return try FileLock(name, in: directory)
    }
  }

  /// What `CURRENT` says; without it this is no store, or not a whole one.
  func readCurrent() throws(AnnalsError) -> CurrentFile {
    let names = try files { () throws(StoreFileError) in try directory.names() }
    let hasLog = names.contains { $0.hasPrefix("log-") && $0.hasSuffix(".mdb") }
    guard hasLog || names.contains(CurrentFile.name) else {
      throw AnnalsError(.notAStore, "this directory is no store: it has neither CURRENT nor a log")
    }
    let bytes = try files { () throws(StoreFileError) in
      try directory.read(CurrentFile.name, limit: CurrentFile.limit)
    }
    let current: CurrentFile
    do {
      current = try CurrentFile(bytes)
    } catch {
      let details = AnnalsError.Details { $0.file = CurrentFile.name }
      guard hasLog else {
        throw AnnalsError(
          .notAStore, "this directory is no store: its file CURRENT is not one of ours", details: details)
      }
      throw AnnalsError(
        .damaged, "CURRENT does not name a generation, or its checksum is wrong; restore it from a backup",
        details: details, underlying: error)
    }
    // Looked for before any lock file is created: where a store is not whole, nothing is added to it.
    guard try files({ () throws(StoreFileError) in try directory.status(of: current.fileName) }) != nil else {
      throw AnnalsError(StoreFileError.missing(file: current.fileName))
    }
    return current
  }

  /// Compares what the file says of itself with `CURRENT`, and with what this library knows.
  private func check(
    _ environment: Environment, against current: CurrentFile
  ) throws(AnnalsError) -> (StoreMeta, KindRegistry) {
    try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      let reader = StoreReader(transaction.view, StoreTables(environment))
      let meta = try reader.meta()
      let file = current.fileName
      guard meta.log == current.log, meta.generation == current.generation else {
        throw AnnalsError(
          .foreign,
          "'\(file)' belongs to log \(meta.log), generation \(meta.generation); CURRENT names log \(current.log), generation \(current.generation)",
          details: AnnalsError.Details { $0.file = file })
      }
      try StoreMeta.check(meta.requires, forWriting: options.access == .readWrite)
      switch meta.state {
      case .live, .held: break
      case .building, .sealed:
        throw AnnalsError(
          .needsNewer,
          "generation \(meta.generation) is not in use: it is sealed, or being built, by a migration pass"
        )
      }
      return (meta, try reader.kinds())
    }
  }
}

extension StoreMeta {
  /// The features that this library knows, by name.
  static let knownFeatures: Set<String> = []

  /// Throws `.needsNewer` for a feature that must be known and is not.
  static func check(_ requires: [Requirement], forWriting: Bool) throws(AnnalsError) {
    for requirement in requires where !knownFeatures.contains(requirement.name) {
      if requirement.isForReading || forWriting {
        throw AnnalsError(
          .needsNewer,
          "the store needs '\(requirement.name)' to be \(requirement.isForReading ? "read" : "written"), which this version of the library does not know; use a newer one"
        )
      }
    }
  }
}
