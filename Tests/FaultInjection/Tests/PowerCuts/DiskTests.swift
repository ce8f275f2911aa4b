import FaultPrograms
import Foundation
import Testing

/// The possible contents of a disk after a power cut, from hand-made recordings.
@Suite struct DiskTests {
  private static let root: Inode = 1
  private static let file: Inode = 2

  /// A disk after these operations, which begin with the durable creation of an empty file.
  private func disk(_ operations: [Recording.Operation]) -> Disk {
    var disk = Disk(root: Self.root)
    let creation: [Recording.Operation] = [
      .create(Self.file, in: Self.root, name: "a", isDirectory: false), .synchronize(Self.root),
    ]
    for operation in creation + operations { disk.perform(operation) }
    return disk
  }

  private func write(_ text: String, at offset: Int = 0, isDurable: Bool = false) -> Recording.Operation {
    .write(Self.file, offset: offset, bytes: Data(text.utf8), isDurable: isDurable)
  }

  /// The possible contents of the file.
  private func contents(_ disk: Disk) -> Set<Data> {
    var random = SeededGenerator(seed: 1)
    return Set(
      (0..<8).flatMap { _ in
        disk.selections(using: &random).compactMap {
          disk.image(taking: $0.taken, keepsLocks: $0.keepsLocks)[Self.file]?.bytes
        }
      })
  }

  /// The possible names in the directory.
  private func names(_ disk: Disk) -> Set<[String]> {
    var random = SeededGenerator(seed: 1)
    return Set(
      disk.selections(using: &random).compactMap {
        disk.image(taking: $0.taken, keepsLocks: $0.keepsLocks)[Self.root]?.names.keys.sorted()
      })
  }

  @Test func `a write is sure when its file was synchronised`() {
    #expect(contents(disk([write("one")])) == [Data(), Data("one".utf8), Data(count: 3)])
    #expect(contents(disk([write("one"), .synchronize(Self.file)])) == [Data("one".utf8)])
  }

  @Test func `a write of a file that is opened so is sure at once, and nothing before it`() {
    let disk = disk([write("one"), write("six", at: 3, isDurable: true)])
    #expect(contents(disk) == [Data([0, 0, 0] + "six".utf8), Data("onesix".utf8)])
  }

  @Test func `of two writes the later one may be there alone`() {
    let contents = contents(disk([write("one"), write("two", at: 3)]))
    #expect(contents.contains(Data([0, 0, 0] + "two".utf8)))
    #expect(contents.contains(Data("one".utf8)))
  }

  @Test func `a write is torn between sectors and never inside one`() {
    let text = String(repeating: "x", count: 1_000)
    let contents = contents(disk([write(text, at: 300), write(text, at: 4_000)]))
    // Sectors 0 to 2, then 7 to 9.
    let parts = [300..<512, 512..<1_024, 1_024..<1_300, 4_000..<4_096, 4_096..<4_608, 4_608..<5_000]
    var torn = 0
    for content in contents {
      let whole = parts.map { part in part.map { content.indices.contains($0) && content[$0] != 0 } }
      #expect(whole.allSatisfy { Set($0).count == 1 })
      let there = whole.map { $0.first == true }
      if Set(there.prefix(3)).count > 1 || Set(there.suffix(3)).count > 1 { torn += 1 }
    }
    #expect(torn > 0)
  }

  @Test func `names come in the order in which they were made`() {
    let disk = disk([
      .create(3, in: Self.root, name: "b", isDirectory: false),
      .rename(3, in: Self.root, from: "b", to: "c"),
      .remove(Self.file, in: Self.root, name: "a"),
    ])
    #expect(names(disk).isSubset(of: [["a"], ["a", "b"], ["a", "c"], ["c"]]))
    #expect(names(disk).isSuperset(of: [["a"], ["c"]]))
  }

  @Test func `a new name may lead to a file without its data`() {
    let disk = disk([
      write("one"), .rename(Self.file, in: Self.root, from: "a", to: "b"), .synchronize(Self.root),
    ])
    #expect(names(disk) == [["b"]])
    #expect(contents(disk).contains(Data()))
  }

  @Test func `the contents of a lock file make no moment of their own`() {
    var disk = disk([])
    disk.perform(.create(3, in: Self.root, name: "open.lock", isDirectory: false))
    disk.perform(.synchronize(Self.root))
    let line = Recording.Operation.write(3, offset: 0, bytes: Data("7".utf8), isDurable: false)
    #expect(!disk.isChanged(by: line))
    disk.perform(line)
    #expect(disk.pending.isEmpty)
    #expect(disk.image(taking: [], keepsLocks: true)[3]?.bytes == Data("7".utf8))
    #expect(disk.image(taking: [], keepsLocks: false)[3]?.bytes == Data())
  }
}
