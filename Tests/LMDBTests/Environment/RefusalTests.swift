import Foundation
import LMDB
import Testing

@Suite struct `Refusing a file` {
  /// The error of an open, which must leave the data file unchanged.
  private func refusal(_ shelf: Shelf) throws -> EnvironmentError? {
    let before = try shelf.bytes()
    var refusal: EnvironmentError?
    do { _ = try shelf.open() } catch let error as EnvironmentError { refusal = error }
    #expect(try shelf.bytes() == before)
    return refusal
  }

  @Test func `a missing file is not created`() throws {
    let shelf = try Shelf()
    #expect(throws: EnvironmentError.file(.missing(file: Shelf.file))) { _ = try shelf.open() }
    #expect(try shelf.directory.names() == ["open.lock", "queue.lock", "write.lock"])
  }

  @Test(arguments: [0, 1, 100, 4096, 8191]) func `a file without two meta pages is cut off`(size: Int) throws
  {
    let shelf = try Shelf()
    do { try shelf.create().store([1]) }
    try shelf.overwrite(Array(shelf.bytes().prefix(size)))
    #expect(try refusal(shelf) == .file(.truncated(file: Shelf.file, have: size, need: 8192)))
  }

  @Test func `a file without its root page is cut off`() throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1], [2], [3]) }
    let size = try shelf.bytes().count
    try shelf.overwrite(Array(shelf.bytes().prefix(8192)))
    guard case .file(.truncated(_, 8192, let need)) = try refusal(shelf) else {
      Issue.record("not refused as cut off")
      return
    }
    #expect(need > 8192 && need <= size)
  }

  @Test func `a text is no file of LMDB`() throws {
    let shelf = try Shelf()
    try shelf.overwrite(Array(String(repeating: "dear diary\n", count: 2000).utf8))
    #expect(
      try refusal(shelf)
        == .file(.notLMDB(file: Shelf.file, reason: "the mark of meta page 0 is not LMDB's")))
  }

  @Test func `a data version of the future is refused`() throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1]) }
    var bytes = try shelf.bytes()
    bytes[20] = 3
    try shelf.overwrite(bytes)
    #expect(
      try refusal(shelf) == .file(.notLMDB(file: Shelf.file, reason: "the data version is 3, not 1")))
  }

  @Test(arguments: [144, 4096 + 144]) func `meta pages that are no neighbours are damage`(offset: Int) throws
  {
    let shelf = try Shelf()
    do { try shelf.create().store([1], [2]) }
    var bytes = try shelf.bytes()
    bytes[offset] &+= 4
    try shelf.overwrite(bytes)
    guard case .file(.damaged(_, _, offset: 144)) = try refusal(shelf) else {
      Issue.record("not refused as damaged")
      return
    }
  }

  /// Page size, depth of the free table, flags of the main table, last page, transaction, map.
  private static let impossible: [(Int, UInt8)] = [
    (40, 0), (46, 0xFF), (92, 4), (143, 0xFF), (151, 0xFF), (39, 0x40),
  ]

  @Test(arguments: impossible) func `a meta page with an impossible number is refused`(
    offset: Int, value: UInt8
  ) throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1], [2], [3], [4]) }
    for page in [0, 4096] {
      var bytes = try shelf.bytes()
      let original = bytes
      bytes[page + offset] = value
      // A page size of 4,096 has a low byte of 0 already.
      if offset == 40 { bytes[page + 41] = 0 }
      try shelf.overwrite(bytes)
      #expect(try refusal(shelf) != nil)
      try shelf.overwrite(original)
    }
    #expect(try refusal(shelf) == nil)
  }

  /// A file whose older meta page has the roots of a commit that failed to write it, as LMDB leaves them.
  private func afterFailedCommit(_ shelf: Shelf) throws -> (bytes: [UInt8], newer: Int) {
    do { try shelf.create().store([1], [2], [3]) }
    let bytes = try shelf.bytes()
    let newer = bytes[144] > bytes[4096 + 144] ? 0 : 4096
    let older = 4096 - newer
    var spoilt = bytes
    // The root of the main table is the file's last page. The meta page's own last page is an earlier one.
    let last = UInt8(bytes.count / 4096 - 1)
    spoilt[older + 128] = last
    spoilt[older + 136] = last - 1
    return (spoilt, newer)
  }

  @Test func `an older meta page that a failed commit could not write is no damage`() throws {
    let shelf = try Shelf()
    try shelf.overwrite(afterFailedCommit(shelf).bytes)
    let environment = try shelf.open()
    #expect(try (1...3).map { try environment.bytes($0) } == [[1], [2], [3]])
    try environment.store([4])
    #expect(try environment.bytes(1) == [4])
  }

  @Test func `a root of the newer meta page beyond its last page is damage`() throws {
    let shelf = try Shelf()
    var (bytes, newer) = try afterFailedCommit(shelf)
    bytes[newer + 128] = UInt8(bytes.count / 4096 - 1)
    bytes[newer + 136] = bytes[newer + 128] - 1
    try shelf.overwrite(bytes)
    guard case .file(.damaged(_, let reason, _)) = try refusal(shelf) else {
      Issue.record("not refused as damaged")
      return
    }
    #expect(reason == "meta page \(newer / 4096): a root beyond the last page")
  }

  @Test func `a directory, a pipe and a symbolic link are no data files`() throws {
    let shelf = try Shelf()
    let path = shelf.path + "/" + Shelf.file
    let expected = EnvironmentError.file(.notRegular(file: Shelf.file))
    _ = try shelf.directory.createDirectory(Shelf.file)
    #expect(throws: expected) { _ = try shelf.open() }
    try shelf.directory.removeDirectory(Shelf.file)
    let made = unsafe mkfifo(path, 0o600)
    #expect(made == 0)
    #expect(throws: expected) { _ = try shelf.open() }
    try shelf.directory.remove(Shelf.file)
    let target = try shelf.directory.create("target")
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "target")
    #expect(throws: expected) { _ = try shelf.open() }
    #expect(try target.status().size == 0)
  }

  @Test func `a file with a second name is refused`() throws {
    let shelf = try Shelf()
    do { try shelf.create().store([1]) }
    let linked = unsafe link(shelf.path + "/" + Shelf.file, shelf.path + "/second")
    #expect(linked == 0)
    #expect(try refusal(shelf) == .file(.linked(file: Shelf.file, links: 2)))
  }

  // Only root may give a file away.
  @Test(.enabled(if: geteuid() == 0, "needs root")) func `a file of another user is refused unless trusted`()
    throws
  {
    let shelf = try Shelf()
    do { try shelf.create().store([1]) }
    let given = unsafe chown(shelf.path + "/" + Shelf.file, 65534, 65534)
    #expect(given == 0)
    #expect(try refusal(shelf) == .file(.wrongOwner(file: Shelf.file, owner: 65534)))
    #expect(try shelf.open(.readWrite) { $0.trustedOwners = [65534] }.bytes(1) == [1])
  }
}
