import Foundation
import Testing

@testable import LMDB

@Suite struct `A directory` {
  @Test func `a created file belongs to its owner alone, with any mask`() async throws {
    await #expect(processExitsWith: .success) {
      umask(0)
      let shelf = try Shelf()
      _ = try shelf.directory.create("open")
      _ = try shelf.directory.createDirectory("views")
      umask(0o777)
      _ = try shelf.directory.create("closed")
      let modes = try ["open", "views", "closed"].map { try shelf.directory.status(of: $0)?.permissions }
      #expect(modes == [0o600, 0o700, 0o600])
    }
  }

  @Test func `creating replaces nothing`() throws {
    let shelf = try Shelf()
    _ = try shelf.directory.create("a")
    #expect(throws: StoreFileError.alreadyThere(file: "a")) { _ = try shelf.directory.create("a") }
  }

  @Test func `the remains of interrupted replacements are removed, and nothing else`() throws {
    let shelf = try Shelf()
    let others = ["CURRENT", "CURRENT.tmp", "CURRENT.x1.tmp", "CURRENT.7", "other.7.tmp", "log.state"]
    for name in others + ["CURRENT.7.tmp", "log.state.18446744073709551615.tmp"] {
      _ = try shelf.directory.create(name)
    }
    try shelf.directory.removeUnfinishedReplacements { $0 == "CURRENT" || $0 == "log.state" }
    #expect(try Set(shelf.directory.names()).isSuperset(of: others))
    #expect(
      try shelf.directory.names().filter { $0.hasSuffix("7.tmp") || $0.hasSuffix("5.tmp") } == ["other.7.tmp"]
    )
  }

  @Test func `a symbolic link is not followed`() throws {
    let shelf = try Shelf()
    _ = try shelf.directory.create("a")
    try FileManager.default.createSymbolicLink(
      atPath: shelf.path + "/link", withDestinationPath: shelf.path + "/a")
    #expect(throws: StoreFileError.notRegular(file: "link")) {
      _ = try shelf.directory.open("link", .read)
    }
  }

  @Test func `a link to a directory is no directory`() throws {
    let shelf = try Shelf()
    let link = shelf.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: shelf.path)
    #expect(throws: StoreFileError.notDirectory(file: link)) { _ = try Directory.open(path: link) }
  }

  @Test func `replacing leaves the new content and no other file`() throws {
    let shelf = try Shelf()
    try shelf.directory.replace("CURRENT", with: Array("one".utf8).span)
    try shelf.directory.replace("CURRENT", with: Array("two!".utf8).span)
    #expect(try shelf.directory.read("CURRENT", limit: 100) == Array("two!".utf8))
    #expect(try shelf.directory.names() == ["CURRENT"])
  }

  @Test func `a file over the limit is not read`() throws {
    let shelf = try Shelf()
    try shelf.directory.replace("a", with: [1, 2, 3].span)
    #expect(throws: StoreFileError.tooLarge(file: "a", size: 3, limit: 2)) {
      try shelf.directory.read("a", limit: 2)
    }
  }

  @Test func `a rename replaces nothing`() throws {
    let shelf = try Shelf()
    _ = try shelf.directory.create("a")
    _ = try shelf.directory.create("b")
    #expect(throws: StoreFileError.alreadyThere(file: "b")) {
      try shelf.directory.rename("a", to: "b", in: shelf.directory)
    }
    try shelf.directory.rename("a", to: "c", in: shelf.directory)
    #expect(try shelf.directory.names() == ["b", "c"])
  }

  @Test func `names are sorted by their bytes`() throws {
    let shelf = try Shelf()
    for name in ["b", "ä", "Z", "a"] { _ = try shelf.directory.create(name) }
    #expect(try shelf.directory.names() == ["Z", "a", "b", "ä"])
  }

  @Test func `a name that is no UTF-8 is left out`() throws {
    let shelf = try Shelf()
    _ = try shelf.directory.create("a")
    let odd: [CChar] = Array((shelf.path + "/").utf8CString.dropLast()) + [-1, -2, 0]
    let file = unsafe open(odd, O_CREAT | O_WRONLY, 0o600)
    try #require(file >= 0)
    close(file)
    #expect(try shelf.directory.names() == ["a"])
  }

  @Test(arguments: [(0o700, false), (0o755, false), (0o770, false), (0o777, true), (0o1777, true)])
  func `a directory in which everybody may write is refused`(mode: Int, isRefused: Bool) throws {
    let shelf = try Shelf()
    let code = unsafe chmod(shelf.path, mode_t(mode))
    try #require(code == 0)
    if isRefused {
      #expect(throws: StoreFileError.openToAll(file: ".")) { try shelf.directory.checkOwner() }
    } else {
      try shelf.directory.checkOwner()
    }
  }

  // Only root may give a directory away.
  @Test(.enabled(if: geteuid() == 0, "needs root")) func `a directory of another user is refused`() throws {
    let shelf = try Shelf()
    let code = unsafe chown(shelf.path, 65534, 65534)
    try #require(code == 0)
    #expect(throws: StoreFileError.wrongOwner(file: ".", owner: 65534)) { try shelf.directory.checkOwner() }
  }

  @Test func `network file systems are known by their numbers`() throws {
    let shelf = try Shelf()
    #expect(try shelf.directory.fileSystem().network == nil)
    // The numbers of statfs(2).
    let known: [(UInt32, String?)] = [
      (0x6969, "NFS"), (0xFE53_4D42, "SMB"), (0x00C3_6400, "CEPH"), (0x5346_414F, "AFS"), (0xEF53, nil),
    ]
    for (number, name) in known { #expect(FileSystem.network(number) == name) }
    #expect(try shelf.directory.fileSystem().free > 0)
  }
}
