package import AnnalsCoding
package import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The place of an existing or future store: a directory and its parent.
package struct StorePlace {
  package let path: [UInt8]
  private let parent: [UInt8]
  package let fileName: [UInt8]
  /// The store's name, for messages.
  private var name: String { FileName.text(fileName) }

  /// The place that `url` names, which must be that of a file; the bytes of its path are taken as they are.
  package init(_ url: URL) throws(AnnalsError) {
    let slash = UInt8(ascii: "/")
    var path: [UInt8]
    do throws(AnnalsError) { path = try url.exactPath() } catch {
      throw AnnalsError(
        .noSuchStore,
        "a store is at the URL of a file, such as file:///var/lib/orders.annals; \(error.message)")
    }
    while path.count > 1 && path.last == slash { path.removeLast() }
    self.path = path
    let end = path.lastIndex(of: slash)
    fileName = path == [slash] ? [UInt8(ascii: ".")] : end.map { Array(path[($0 + 1)...]) } ?? path
    parent = end.map { $0 == 0 ? [slash] : Array(path[..<$0]) } ?? [UInt8(ascii: ".")]
  }

  /// Opens the directory, after creating the store if `options` say so, and flushes its name to disk while
  /// `body` runs. A writer receives the result only when the name is there.
  ///
  /// Without it, a power loss would lose everything appended. The creation cannot do this alone: it may have
  /// been killed after its rename, or still be waiting in another process.
  package func open<Result>(
    _ options: StoreOptions, _ body: (Directory) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    let directory = try find(options)
    guard options.access == .readWrite else { return try body(directory) }
    let flush = DirectoryFlush(path: parent + "/.".utf8)
    let result = try body(directory)
    try files { () throws(StoreFileError) in
      do throws(StoreFileError) { try flush.wait() } catch .permission {
        // A process that may not read the parent directory cannot have added a name to it, nor wait for one.
      }
    }
    return result
  }

  /// Opens the directory, after creating the store if `options` say so, and waits until its name is on disk.
  package func open(_ options: StoreOptions) throws(AnnalsError) -> Directory {
    try open(options) { $0 }
  }

  private func find(_ options: StoreOptions) throws(AnnalsError) -> Directory {
    let mayCreate = options.access == .readWrite && options.creation != .never
    if options.creation != .always, let directory = try existing() { return directory }
    guard mayCreate else {
      throw AnnalsError(.noSuchStore, "there is no store called '\(name)' at this path")
    }
    if try !create(options) && options.creation == .always {
      throw AnnalsError(.cannotCreate, "something called '\(name)' is there already; nothing was changed")
    }
    guard let directory = try existing() else {
      throw AnnalsError(.noSuchStore, "the store called '\(name)' was removed while it was opened")
    }
    return directory
  }

  /// Whether the store's path still leads to `directory`.
  func leads(to directory: Directory) throws(AnnalsError) -> Bool {
    guard let found = try existing() else { return false }
    return try files { () throws(StoreFileError) in
      try found.status().identity == directory.status().identity
    }
  }

  /// The directory, `nil` if nothing has the name.
  package func existing() throws(AnnalsError) -> Directory? {
    do throws(StoreFileError) {
      let directory = try Directory.open(path: path)
      // The owner of the directory may exchange every file in it at any moment.
      try directory.checkOwner()
      return directory
    } catch .missing {
      return nil
    } catch .notDirectory {
      throw AnnalsError(
        .notAStore, "'\(name)' is not a directory, as a store is (a symbolic link is never followed)")
    } catch {
      throw AnnalsError(error)
    }
  }

  /// Creates the store, unless something has its name.
  private func create(_ options: StoreOptions) throws(AnnalsError) -> Bool {
    try StoreCreation(parent: above(), name: fileName).run { (directory, open) throws(AnnalsError) in
      try StoreCreation.emptyLog(
        directory, open, options.idempotency, log: options.newLogID ?? UUID.random())
    }
  }

  /// Creates a store with content, and waits until its name is durable.
  ///
  /// - Parameters:
  ///   - room: The disk space that it needs, in bytes.
  ///   - content: Writes the whole store into a directory, with the lock of its `open.lock`, and waits until
  ///     it is on disk.
  /// - Throws: ``AnnalsError`` with code `cannotCreate` if the name is taken, `diskFull` if there is too
  ///   little space. Then, and if `content` throws, no files remain.
  package func create(
    room: Int, _ content: (Directory, _ open: FileLock) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    let taken = AnnalsError(
      .cannotCreate, "something called '\(name)' is there already; nothing was changed")
    // Before the work, which may be long. A file that takes the name meanwhile is not replaced either.
    guard try !isTaken() else { throw taken }
    guard try StoreCreation(parent: above(), name: fileName).run(room: room, content) else { throw taken }
    _ = try open(StoreOptions(creation: .never))
  }

  /// Whether something has the name, a store or not.
  package func isTaken() throws(AnnalsError) -> Bool {
    let parent = try above()
    return try files { () throws(StoreFileError) in try parent.status(of: fileName) } != nil
  }

  /// Whether a part of a store is next to the place: one that could not be removed, or that is being made.
  package func hasLeftovers() throws(AnnalsError) -> Bool {
    try StoreCreation(parent: above(), name: fileName).hasLeftovers()
  }

  /// The directory above the store.
  package func above() throws(AnnalsError) -> Directory {
    do throws(StoreFileError) {
      // With the dot, a symbolic link above the store is followed, as an open of the store inside follows it.
      return try Directory.open(path: parent + "/.".utf8)
    } catch .missing {
      throw AnnalsError(.cannotCreate, "the directory above '\(name)' does not exist; create it first")
    } catch .notDirectory {
      throw AnnalsError(.cannotCreate, "what is above '\(name)' is not a directory")
    } catch {
      throw AnnalsError(error)
    }
  }
}
