import Foundation
import LMDB
import Testing

@Suite struct `Opening a file` {
  @Test func `two opens in one process share one environment`() throws {
    let shelf = try Shelf()
    let first = try shelf.create()
    #expect(try shelf.open() === first)
    #expect(try shelf.open(.readOnly) === first)
  }

  @Test func `committed values are there after the file was closed`() throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1], [2, 2]) }
    #expect(try shelf.open().bytes(2) == [2, 2])
  }

  @Test func `threads that open and close at once always find the data`() async throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1]) }
    try await withThrowingTaskGroup { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<40 {
            let bytes = try shelf.open().bytes(1)
            #expect(bytes == [1])
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `a refused second open leaves the first as it is`() throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1]) }
    let first = try shelf.open(.readOnly)
    #expect(throws: EnvironmentError.openedOtherwise(file: Shelf.file)) { _ = try shelf.open() }
    #expect(try first.bytes(1) == [1])
  }

  @Test func `creating replaces nothing`() throws {
    let shelf = try Shelf()
    do { try shelf.create().store([7]) }
    #expect(throws: EnvironmentError.file(.alreadyThere(file: Shelf.file))) { _ = try shelf.create() }
    #expect(try shelf.open().bytes(1) == [7])
  }

  @Test func `an environment opened for reading refuses to write`() throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1]) }
    let environment = try shelf.open(.readOnly)
    #expect(throws: EnvironmentError.readOnly) { try environment.store([2]) }
  }

  @Test func `a table that is missing is damage`() throws {
    let shelf = try Shelf()
    do { _ = try shelf.create() }
    let tables = Shelf.tables + [TableDefinition("more", integerKeys: true)]
    #expect(
      throws: EnvironmentError.file(
        .damaged(file: Shelf.file, reason: "the table more is missing", offset: 0))
    ) {
      _ = try Environment.open(Shelf.file, in: shelf.directory, tables: tables, locks: shelf.locks())
    }
  }

  @Test func `a table with other flags is damage`() throws {
    let shelf = try Shelf()
    do { _ = try shelf.create() }
    let tables = [TableDefinition("numbers", integerKeys: false)]
    #expect(
      throws: EnvironmentError.file(
        .damaged(file: Shelf.file, reason: "the table numbers has flags 8, not 0", offset: 0))
    ) {
      _ = try Environment.open(Shelf.file, in: shelf.directory, tables: tables, locks: shelf.locks())
    }
  }

  @Test func `no descriptor of the store reaches a program that is started`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1])
    var seen = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      guard let descriptor = Int32(name),
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name),
        target.hasPrefix(shelf.path)
      else { continue }
      seen += 1
      #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0, "descriptor of \(target)")
    }
    // The directory, three locks, the data file twice, LMDB's lock file.
    #expect(seen >= 7)
    _ = environment
  }

  @Test func `the lock file has all its blocks`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let status = try #require(try shelf.directory.status(of: Shelf.file + "-lock"))
    #expect(status.size == 1023 * 64 + 192)
    #expect(status.allocated >= status.size)
    #expect(status.permissions == 0o600)
    #expect(try environment.info().maximumReaders == 1024)
  }

  @Test func `less address space halves the map`() async throws {
    await #expect(processExitsWith: .success) {
      let shelf = try Shelf()
      #expect(ProcessLimit.addressSpace.set(16 << 30))
      let environment = try shelf.create()
      try environment.store([1])
      let mapSize = try environment.info().mapSize
      #expect(mapSize >= 1 << 30 && mapSize < 16 << 30)
      #expect(try environment.bytes(1) == [1])
    }
  }

  @Test func `many environments leave address space to the rest of the process`() async throws {
    await #expect(processExitsWith: .success) {
      var environments: [Environment] = []
      for _ in 0..<70 { environments.append(try Shelf().create()) }
      let sizes = try environments.map { try $0.info().mapSize }
      #expect(sizes[0] == 1 << 40)
      #expect(sizes.allSatisfy { $0 >= 1 << 34 })
      #expect(sizes.sum() < 1 << 46)
    }
  }

  @Test func `another working directory changes nothing`() async throws {
    await #expect(processExitsWith: .success) {
      let shelf = try Shelf()
      let temporary = FileManager.default.temporaryDirectory.path
      #expect(FileManager.default.changeCurrentDirectoryPath(temporary))
      let directory = try Directory.open(path: String(shelf.path.dropFirst(temporary.count + 1)))
      let locks = try shelf.locks()
      #expect(FileManager.default.changeCurrentDirectoryPath("/"))
      let environment = try Environment.open(
        Shelf.file, in: directory, tables: Shelf.tables, locks: locks,
        options: EnvironmentOptions(create: true))
      try environment.store([1])
      #expect(try environment.bytes(1) == [1])
    }
  }

  @Test func `a child refuses to use its parent's environment`() async throws {
    await #expect(processExitsWith: .success) {
      let shelf = try Shelf()
      let environment = try shelf.create()
      try environment.store([1])
      #expect(ForkedChild.run { ForkedChild.refusals(of: environment, shelf) } == 3)
      #expect(try environment.bytes(1) == [1])
    }
  }
}
