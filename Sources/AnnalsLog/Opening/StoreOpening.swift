package import AnnalsCoding
package import AnnalsFormat
package import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The steps of opening a store that exists (docs/durability.md). None of them changes a byte of the data.
package struct StoreOpening {
  package let directory: Directory
  package let options: StoreOptions

  package init(directory: Directory, options: StoreOptions) {
    self.directory = directory
    self.options = options
  }

  /// The file of one generation, open.
  package struct GenerationFile {
    /// The content of `CURRENT` if this generation is the one in use.
    package var current: CurrentFile
    package var environment: Environment
    /// The lease that keeps others from removing it; `nil` if nobody can.
    package var lease: GenerationLease?
    package var meta: StoreMeta

    package init(
      current: CurrentFile, environment: Environment, lease: GenerationLease? = nil, meta: StoreMeta
    ) {
      self.current = current
      self.environment = environment
      self.lease = lease
      self.meta = meta
    }
  }

  /// The parts of an opened store.
  package struct Opened {
    /// The generation in use.
    package var file: GenerationFile
    package var kinds: KindRegistry
    /// The epoch of the switch to the generation.
    package var arrived: UInt64
    /// Whether its seal remains from an interrupted rollback.
    package var isStale: Bool
    /// The generation whose seal led to it, if `CURRENT` did not.
    package var previous: UInt64?

    package init(
      file: GenerationFile, kinds: KindRegistry, arrived: UInt64, isStale: Bool, previous: UInt64?
    ) {
      self.file = file
      self.kinds = kinds
      self.arrived = arrived
      self.isStale = isStale
      self.previous = previous
    }
  }

  /// Opens the generation in use: the one that `CURRENT` names, or that seals lead to from there.
  ///
  /// `open.lock` is held inside, around LMDB's own open, and nowhere else: an environment that ends on this
  /// thread takes it too. So `CURRENT` is read again afterwards, and if it names another generation by then,
  /// that one is opened.
  package func run() throws(AnnalsError) -> Opened {
    var attempt = 1
    while true {
      let current = try readCurrent()
      var chain = GenerationChain(from: current.generation)
      do throws(AnnalsError) {
        if let opened = try follow(&chain, current.log), try readCurrent() == current { return opened }
      } catch {
        // A generation that a seal led to may have been rolled back and discarded meanwhile.
        guard try readCurrent() != current || (chain.previous != nil && attempt < Self.tries) else {
          throw error
        }
        attempt += 1
      }
    }
  }

  /// The number of times that a chain of seals is followed before a missing generation is reported.
  private static let tries = 3

  /// Follows the chain from one generation to the one in use.
  ///
  /// - Returns: `nil` if a generation was removed while it was opened.
  private func follow(_ chain: inout GenerationChain, _ log: UUID) throws(AnnalsError) -> Opened? {
    while true {
      guard let file = try open(chain.number, of: log) else { return nil }
      let previous = chain.previous
      let step = chain.step(file.meta.state, epoch: file.meta.epoch)
      switch step {
      case .follow: continue
      case .use, .unseal:
        try StoreMeta.check(file.meta.requires, forWriting: options.access == .readWrite)
        let environment = file.environment
        let kinds = try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
          guard options.reads("kinds") else { return KindRegistry() }
          return try StoreReader(transaction.view, StoreTables(environment)).kinds()
        }
        return Opened(
          file: file, kinds: kinds, arrived: chain.arrived ?? file.meta.epoch, isStale: step == .unseal,
          previous: previous)
      case .damaged:
        throw AnnalsError(
          .damaged,
          "'\(file.current.fileName)' is not in use, and no other generation is: what leads to it, or away from it, is not what a migration pass leaves; restore the store from a backup",
          details: AnnalsError.Details {
            $0.file = file.current.fileName
            $0.table = "meta"
          })
      }
    }
  }

  /// Opens the file of one generation of `log`, in any state.
  ///
  /// - Returns: `nil` if it was removed meanwhile.
  /// - Throws: ``AnnalsError`` with code `incomplete` if there is none, `foreign` if it belongs to another
  ///   log or has another number.
  package func open(_ number: UInt64, of log: UUID) throws(AnnalsError) -> GenerationFile? {
    let current = CurrentFile(log: log, generation: number)
    let isReadOnlyMount = try files { () throws(StoreFileError) in try directory.fileSystem().isReadOnly }
    guard !isReadOnlyMount || options.access == .readOnly else {
      throw AnnalsError(
        .readOnly, "the file system is mounted read-only: open with access .readOnly or mount it for writing")
    }
    try mustBeThere(current)
    let (locks, lease) = try files { () throws(StoreFileError) -> (EnvironmentLocks?, GenerationLease?) in
      // Without writers there is nobody to lock out.
      if isReadOnlyMount { return (nil, nil) }
      // Before LMDB sees the file: from here on nobody removes it.
      return (try self.locks(), try GenerationLease(lockFile(current.leaseName)))
    }
    let pages = StorePages(directory, current)
    // LMDB reads these tables when it opens the file. A damaged page among them would end the process.
    if options.trust == .nobody { try pages.mustBeSound(options.scope ?? StoreTables.small) }
    var environmentOptions = EnvironmentOptions(
      generation: options.access == .readWrite ? .readWrite : .readOnly)
    environmentOptions.guards = options.guards
    let environment = try storage { () throws(EnvironmentError) in
      try Environment.open(
        current.fileName, in: directory, tables: StoreTables.definitions, locks: locks,
        options: environmentOptions)
    }
    // A removal that the lease waited for may have removed the lease file with the generation.
    guard try files({ () throws(StoreFileError) in try lease?.isCurrent() }) ?? true else { return nil }
    if options.trust == .nobody, options.scope == nil { try pages.mustBeSound(in: environment) }
    var meta = try check(environment, against: current)
    // A store that must not be written is not repaired either, and is refused later.
    let isKnown = StoreMeta.unknown(meta.requires) == nil
    if meta.requires.contains(.journal), options.reads("journal"), isKnown || options.access == .readOnly {
      try environment.openJournal(within: options.lockTimeout)
      meta = try check(environment, against: current)
      // Records with a hash, as this library writes them, need a commit first that says so.
      environment.recordsCommits = meta.requires.contains(.journalHash)
    }
    return GenerationFile(current: current, environment: environment, lease: lease, meta: meta)
  }

  /// Returns a generation's state among the others. A caller that then opens it receives the reason for a
  /// failure. Returns `nil` if the state cannot be read.
  func state(of current: CurrentFile) throws(AnnalsError) -> (state: StoreMeta.State, epoch: UInt64)? {
    do throws(AnnalsError) {
      return try open(current.generation, of: current.log).map { ($0.meta.state, $0.meta.epoch) }
    } catch  where error.code == .damaged && error.details.table != nil {
      return nil
    }
  }

  /// The locks that all generations of the store share.
  func locks() throws(StoreFileError) -> EnvironmentLocks {
    EnvironmentLocks(
      open: try lockFile("open.lock"), queue: try lockFile("queue.lock"), write: try lockFile("write.lock"))
  }

  /// Returns the lock for changes of the generation in use: a pass, a rollback, a removal. It comes before
  /// all other locks.
  package func passLock() throws(AnnalsError) -> FileLock {
    try files { () throws(StoreFileError) in try lockFile("pass.lock") }
  }

  /// Makes `CURRENT` name the generation in use, if it does not; for the holder of `pass.lock`.
  ///
  /// - Returns: The content of `CURRENT` afterwards.
  @discardableResult
  package func record() throws(AnnalsError) -> CurrentFile {
    let current = try run().file.current
    guard try readCurrent() != current else { return current }
    try files { () throws(StoreFileError) in
      try directory.removeBuildMark(of: current)
      try directory.replace(CurrentFile.name, with: current.encoded().span)
    }
    return current
  }

  /// Opens a lock file; one that is missing, as in a copy of the store, is created.
  package func lockFile(_ name: String) throws(StoreFileError) -> FileLock {
    if options.access == .readWrite { return try FileLock(name, in: directory) }
    // For a reader, permission to read the file is enough.
    do { return try FileLock(name, in: directory, create: false) } catch .missing {
      return try FileLock(name, in: directory)
    }
  }

  /// Reads `CURRENT`. Without it, the directory is no store, or an incomplete one.
  package func readCurrent() throws(AnnalsError) -> CurrentFile {
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
    try mustBeThere(current)
    return current
  }

  /// Checked before any lock file is created: nothing is added to an incomplete store.
  func mustBeThere(_ current: CurrentFile) throws(AnnalsError) {
    guard try files({ () throws(StoreFileError) in try directory.status(of: current.fileName) }) != nil else {
      throw AnnalsError(StoreFileError.missing(file: current.fileName))
    }
  }

  /// Compares the file's own description with the row that led to it.
  private func check(
    _ environment: Environment, against current: CurrentFile
  ) throws(AnnalsError) -> StoreMeta {
    guard options.reads("meta") else { return StoreMeta(log: current.log) }
    return try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      let meta = try StoreReader(transaction.view, StoreTables(environment)).meta()
      let file = current.fileName
      guard meta.log == current.log, meta.generation == current.generation else {
        throw AnnalsError(
          .foreign,
          "'\(file)' belongs to log \(meta.log), generation \(meta.generation); the store is log \(current.log), and generation \(current.generation) is expected there",
          details: AnnalsError.Details { $0.file = file })
      }
      return meta
    }
  }
}

extension Directory {
  /// Removes leftovers of crashes from files that only the holder of `pass.lock` replaces.
  package func removeUnfinishedReplacements() throws(StoreFileError) {
    try removeUnfinishedReplacements { name in
      name == CurrentFile.name || name.hasSuffix(".state") && GenerationFiles.number(ofFile: name) != nil
    }
  }

  /// Removes a pass's mark next to a generation that is in use by now.
  ///
  /// It is removed before `CURRENT` names the generation: after a crash in between, nobody would return for
  /// it.
  package func removeBuildMark(of current: CurrentFile) throws(StoreFileError) {
    let name = BuildMark.name(generation: current.generation)
    if try status(of: name) != nil { try remove(name) }
  }
}
