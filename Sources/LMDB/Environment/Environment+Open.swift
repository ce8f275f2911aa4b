import CLMDB

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

extension Environment {
  /// Opens a file, or returns the environment that already has it open in this process.
  ///
  /// A file that has replaced one that this process still has open is refused with `file(.replaced)`.
  /// A refusal leaves every byte of the data file unchanged. `locks.open` is held meanwhile; a caller that
  /// holds it on this thread keeps it.
  ///
  /// - Parameters:
  ///   - name: The data file's name.
  ///   - directory: The directory of the file.
  ///   - definitions: All tables. They are created with the file; an existing file must have each of them.
  ///   - locks: The locks of the store; `nil` only if the file system is mounted read-only.
  ///   - options: The options for the open.
  public static func open(
    _ name: String, in directory: Directory, tables definitions: [TableDefinition],
    locks: EnvironmentLocks?, options: EnvironmentOptions = EnvironmentOptions()
  ) throws(EnvironmentError) -> Environment {
    precondition(options.mapSize > 0 && options.mapSize < 1 << 46, "a map has less than 2^46 bytes")
    precondition((1...65_536).contains(options.maximumReaders), "1 to 65,536 readers")
    precondition(!options.create || options.access == .readWrite, "a new file is written")
    guard LibraryVersion.current.isSafe else {
      throw .unsafeLibrary(version: LibraryVersion.current.description)
    }
    let fileSystem = try files { () throws(StoreFileError) in try directory.fileSystem() }
    if let kind = fileSystem.network {
      throw .file(.networkFileSystem(file: name, kind: kind))
    }
    guard locks != nil || (options.access == .readOnly && fileSystem.isReadOnly) else {
      throw .file(.permission(file: "open.lock", errno: EACCES))
    }
    let hold = try files { () throws(StoreFileError) -> FileLock.Hold? in
      guard options.guards.contains(.opening), let open = locks?.open else { return nil }
      let hold = try open.lock(.exclusive)
      guard try open.isCurrent() else { throw .lockFileDamaged(file: open.name) }
      return hold
    }
    let opening = Opening(
      name: name, directory: directory, definitions: definitions, locks: locks, options: options,
      usesLockFile: !(options.access == .readOnly && fileSystem.isReadOnly))
    let environment = try EnvironmentRegistry.exclusively { (entries) throws(EnvironmentError) in
      try opening.run(&entries)
    }
    // These checks are outside the registry's lock, which the end of an environment takes.
    guard environment.process == getpid() else { throw .file(.usedAfterFork) }
    guard try opening.identity(of: name) == environment.dataIdentity else {
      throw .file(.replaced(file: name))
    }
    _ = consume hold
    guard environment.tables.map(\.definition) == definitions,
      environment.access == .readWrite || options.access == .readOnly
    else { throw .openedOtherwise(file: name) }
    return environment
  }
}

/// The steps of opening one file while the registry's lock is held.
struct Opening {
  /// A file that LMDB has opened and that has passed the checks.
  struct Opened {
    let handle: EnvironmentHandle
    let tables: [Table]
    /// The optional tables that exist.
    let later: [Table]
    let data: FileStatus
    /// The lock file, if one is used.
    let lockFile: FileStatus?
  }

  let name: String
  let directory: Directory
  let definitions: [TableDefinition]
  let locks: EnvironmentLocks?
  let options: EnvironmentOptions
  let usesLockFile: Bool

  func run(
    _ entries: inout [FileIdentity: EnvironmentRegistry.Entry]
  ) throws(EnvironmentError) -> Environment {
    if let data = try identity(of: name), entries[data] != nil {
      if options.create { throw .file(.alreadyThere(file: name)) }
      if let environment = EnvironmentRegistry.environment(of: data, in: &entries) { return environment }
    }
    // The name had another file, whose environment uses the lock file that this one would use. The caller
    // refuses that environment.
    if let lock = try identity(of: name + "-lock"),
      let other = entries.first(where: { $0.value.lockFile == lock })?.key,
      let environment = EnvironmentRegistry.environment(of: other, in: &entries)
    {
      return environment
    }
    // A second attempt repairs a lock table that was made from the older meta page.
    var attempt = 1
    var hold: FileLock.Hold?
    while true {
      do {
        let settling: TableOpening.Settling =
          attempt == 1 || locks == nil ? .none : options.access == .readWrite ? .mend : .accept
        let data = try data()
        if data.used > data.size {
          try files { () throws(StoreFileError) in try checkPages(data) }
        }
        if attempt == 1, !options.create, let most = options.checkedSize {
          try files { () throws(StoreFileError) in try mustBeSound(data, upTo: most) }
        }
        let opened = try open(data, EnvironmentRegistry.share(beside: entries), settling)
        let environment = Environment(
          name: name, directory: directory, tables: opened.tables, later: opened.later, locks: locks,
          options: options, handle: opened.handle, data: opened.data, lockFile: opened.lockFile)
        entries[environment.dataIdentity] = .init(
          environment: environment, handle: environment.handle, lockFile: opened.lockFile?.identity)
        _ = consume hold
        return environment
      } catch .wrongTransactionID where attempt < 3 && !options.create {
        attempt += 1
        // A writer writes its meta page and waits for the disk before it publishes its transaction's number.
        // After its commit the two agree, unless it was killed in between.
        if let locks, attempt == 2 { hold = try files { () throws(StoreFileError) in try locks.turn() } }
      }
    }
  }

  func identity(of name: String) throws(EnvironmentError) -> FileIdentity? {
    try files { () throws(StoreFileError) in try directory.status(of: name)?.identity }
  }

  /// Returns the file before LMDB opens it, created if requested.
  func data() throws(EnvironmentError) -> DataFile {
    try files { () throws(StoreFileError) in
      try options.create
        ? DataFile(creating: name, in: directory)
        : DataFile(existing: name, in: directory, trusting: options.trustedOwners)
    }
  }

  /// Opens the file and its tables with LMDB.
  ///
  /// - Parameter share: The most bytes of the map, unless the file needs more.
  func open(
    _ data: DataFile, _ share: Int, _ settling: TableOpening.Settling
  ) throws(EnvironmentError) -> Opened {
    let prepared = try files { () throws(StoreFileError) in
      usesLockFile
        ? try ReaderTable.prepare(
          for: name, slots: options.maximumReaders, in: directory, trusting: options.trustedOwners) : nil
    }
    var flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS)
    if options.access == .readOnly { flags |= UInt32(MDB_RDONLY) }
    if !usesLockFile { flags |= UInt32(MDB_NOLOCK) }
    let handle = try EnvironmentHandle.open(
      path: directory.path(forLMDB: name), name: name, flags: flags,
      tables: definitions.count + options.laterTables.count,
      used: data.used, share: share, options: options)
    do throws(EnvironmentError) {
      let status = try protect(handle, expecting: data.identity)
      if usesLockFile {
        var dead: Int32 = 0
        try unsafe check(mdb_reader_check(handle.pointer(), &dead), "mdb_reader_check")
      }
      let tables = try TableOpening(
        definitions: definitions, later: options.laterTables, create: options.create, file: name,
        settling: options.guards.contains(.snapshot) ? settling : .ignore
      ).run(in: handle, atLeast: data.transaction)
      let lock = try files { () throws(StoreFileError) in
        usesLockFile ? try directory.status(of: name + "-lock") : nil
      }
      guard lock?.identity == prepared else { throw .file(.lockFileDamaged(file: name + "-lock")) }
      return Opened(
        handle: handle, tables: tables.tables, later: tables.later, data: status, lockFile: lock)
    } catch {
      handle.close()
      throw error
    }
  }

  /// Checks that a file which ends before its last page lacks no reachable page.
  ///
  /// LMDB writes no page that a transaction has taken and returned, so such a file may be complete. But LMDB
  /// crashes on a missing page.
  private func checkPages(_ data: DataFile) throws(StoreFileError) {
    let (isWhole, transaction) = try PageCheck.isWhole(name, in: directory, tables: definitions)
    if isWhole, try PageCheck.isUndisturbed(name, in: directory, since: transaction) { return }
    let report = try PageCheck.run(
      name, in: directory, tables: definitions, later: options.laterTables, writers: locks?.write)
    guard report.isClean else { throw .truncated(file: name, have: data.size, need: data.used) }
  }

  /// Checks the pages of a file, all of them if it is not larger than `most`.
  private func mustBeSound(_ data: DataFile, upTo most: Int) throws(StoreFileError) {
    let report = try PageCheck.run(
      name, in: directory, tables: definitions, later: options.laterTables,
      only: data.size <= most ? nil : [PageCheck.freeList], writers: locks?.write)
    guard let first = report.findings.first else { return }
    throw .damaged(file: name, reason: first.description, offset: Int(clamping: first.offset))
  }

  /// Checks that LMDB opened the file that was checked, and that programs started later do not inherit its
  /// descriptor.
  private func protect(
    _ handle: EnvironmentHandle, expecting identity: FileIdentity
  ) throws(EnvironmentError) -> FileStatus {
    let descriptor = try handle.descriptor()
    return try files { () throws(StoreFileError) in
      // LMDB 0.9 allows it to be inherited (OpenLDAP ITS#8579).
      try system("fcntl", name) { fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
      let status = try FileStatus(of: descriptor, name: name)
      guard status.identity == identity else { throw .replaced(file: name) }
      return status
    }
  }
}
