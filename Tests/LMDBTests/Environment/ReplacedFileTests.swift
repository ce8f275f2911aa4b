import Foundation
import LMDB
import Testing

/// A file that gets the name of one that this process has open, and so its lock file.
@Suite struct `A replaced file` {
  /// Creates a file with one value, and puts a copy into its place while it is open.
  ///
  /// - Parameter commits: The commits that the copy lacks.
  private static func replaced(_ shelf: Shelf, after commits: Int = 0) throws -> Environment {
    do { try shelf.create().store([1]) }
    let copy = try shelf.bytes()
    let old = try shelf.open()
    for _ in 0..<commits { try old.store([2]) }
    try Data(copy).write(to: URL(fileURLWithPath: shelf.path + "/copy"))
    try shelf.directory.rename("copy", replacing: Shelf.file)
    return old
  }

  @Test func `it is refused while the old one is open, and leaves the slots of readers as they are`() throws {
    let shelf = try Shelf()
    let old = try Self.replaced(shelf)
    let snapshot = try old.beginRead()
    for access in [EnvironmentOptions.Access.readWrite, .readOnly] {
      #expect(throws: EnvironmentError.file(.replaced(file: Shelf.file))) { _ = try shelf.open(access) }
    }
    #expect(try old.readers().contains { $0.transaction == snapshot.id })
    snapshot.end()
  }

  @Test func `a new file that would use the lock file is not created`() throws {
    let shelf = try Shelf()
    let old = try shelf.create()
    try shelf.directory.rename(Shelf.file, to: "away", in: shelf.directory)
    #expect(throws: EnvironmentError.file(.replaced(file: Shelf.file))) { _ = try shelf.create() }
    #expect(try shelf.directory.status(of: Shelf.file) == nil)
    #expect(try old.bytes(1) == nil)
  }

  @Test func `once the old one is closed, it is opened and keeps the slots of its readers`() async throws {
    let shelf = try Shelf()
    do { _ = try Self.replaced(shelf) }
    let environment = try shelf.open()
    let snapshot = try environment.beginRead()
    let id = snapshot.id
    await #expect(processExitsWith: .success) { [path = shelf.path as String] in
      let other = try Shelf(path: path).open()
      #expect(try other.readers().filter { $0.transaction != nil }.count == 1)
      try other.store([2])
    }
    #expect(try environment.readers().contains { $0.transaction == id })
    snapshot.end()
    #expect(try environment.bytes(1) == [2])
  }

  @Test func `an old one that waits to be closed is closed by the open`() throws {
    let shelf = try Shelf()
    let other = try shelf.locks()
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: shelf.directory), queue: other.queue, write: other.write)
    var old: Environment? = try Self.replaced(shelf)
    let hold = try locks.open.lock(.exclusive)
    // Its end waits for the lock on another thread.
    withExtendedLifetime(old) {}
    old = nil
    let environment = try Environment.open(
      Shelf.file, in: shelf.directory, tables: Shelf.tables, locks: locks)
    let snapshot = try environment.beginRead()
    _ = consume hold
    usleep(100_000)
    #expect(try environment.readers().contains { $0.transaction == snapshot.id })
    snapshot.end()
  }

  // LMDB finds the meta page by the parity of the number in the lock file.
  @Test(arguments: [1, 2, 3]) func `no process opens one that is older than its lock file`(commits: Int)
    async throws
  {
    let shelf = try Shelf()
    do {
      let old = try Self.replaced(shelf, after: commits)
      await #expect(processExitsWith: .success) { [path = shelf.path as String] in
        for access in [EnvironmentOptions.Access.readWrite, .readOnly] {
          #expect(throws: EnvironmentError.file(.lockFileDamaged(file: Shelf.file + "-lock"))) {
            _ = try Shelf(path: path).open(access)
          }
        }
      }
      #expect(try old.bytes(1) == [2])
    }
    #expect(try shelf.open().bytes(1) == [1])
  }
}
