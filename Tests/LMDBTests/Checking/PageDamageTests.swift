import LMDB
import Testing

@Suite struct `Damage that the check finds` {
  /// A file that no process has open, and the places of its pages.
  private struct Specimen {
    let shelf: Shelf
    var bytes: [UInt8]

    init() throws {
      shelf = try Shelf.forest()
      bytes = try shelf.bytes()
    }

    func number(_ offset: Int, bytes count: Int) -> Int {
      (0..<count).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }

    /// The newer meta page.
    var meta: Int { number(144, bytes: 8) > number(4096 + 144, bytes: 8) ? 0 : 4096 }

    /// The record of a table: the main table is one leaf here, and names come before numbers in it.
    func record(_ index: Int) -> Int {
      let leaf = number(meta + 88 + 40, bytes: 8) * 4096
      let node = leaf + number(leaf + 16 + 2 * index, bytes: 2)
      return node + 8 + number(node + 6, bytes: 2)
    }

    /// The start of the root page of `numbers`.
    var root: Int { number(record(1) + 40, bytes: 8) * 4096 }

    /// The start of the page at the bottom, down the given child of each branch page.
    func leaf(child index: Int) -> Int {
      var page = root
      while number(page + 10, bytes: 2) == 1 {
        let node = page + number(page + 16 + 2 * index, bytes: 2)
        page = (number(node, bytes: 4) | number(node + 4, bytes: 2) << 32) * 4096
      }
      return page
    }

    /// The findings of the check for the changed bytes.
    func findings() throws -> [String] {
      try shelf.overwrite(bytes)
      return try shelf.check().findings.map(\.what)
    }
  }

  @Test func `a page with another number`() throws {
    var specimen = try Specimen()
    let leaf = specimen.leaf(child: 1)
    specimen.bytes[leaf] ^= 1
    #expect(try specimen.findings().contains { $0.hasPrefix("the page says it is page") })
  }

  @Test(arguments: [0x01, 0x04, 0x12, 0x22]) func `a leaf with other flags`(flags: UInt8) throws {
    var specimen = try Specimen()
    specimen.bytes[specimen.leaf(child: 1) + 10] = flags
    #expect(try specimen.findings().contains { $0.hasPrefix("the flags are \(flags)") })
  }

  @Test(arguments: [(12, 3), (12, 17), (14, 0xFF)]) func `bounds that cannot be`(offset: Int, value: Int)
    throws
  {
    var specimen = try Specimen()
    let place = specimen.leaf(child: 1) + offset
    specimen.bytes[place] = UInt8(value & 0xFF)
    if offset == 14 { specimen.bytes[place + 1] = 0xFF }
    #expect(try specimen.findings().contains { $0.hasPrefix("the bounds are") })
  }

  @Test func `a node outside its page`() throws {
    var specimen = try Specimen()
    let leaf = specimen.leaf(child: 1)
    specimen.bytes[leaf + 16] = 0xFE
    specimen.bytes[leaf + 17] = 0x0F
    #expect(try specimen.findings().contains("node 0 is not inside the page"))
  }

  @Test func `two nodes in one place`() throws {
    var specimen = try Specimen()
    let leaf = specimen.leaf(child: 1)
    specimen.bytes[leaf + 18] = specimen.bytes[leaf + 16]
    specimen.bytes[leaf + 19] = specimen.bytes[leaf + 17]
    #expect(try specimen.findings().contains("node 1 lies on another one"))
  }

  @Test func `a value that is longer than its page`() throws {
    var specimen = try Specimen()
    let leaf = specimen.leaf(child: 1)
    let node = leaf + specimen.number(leaf + 16, bytes: 2)
    specimen.bytes[node + 3] = 0x7F
    #expect(try specimen.findings().contains("node 0 is not inside the page"))
  }

  @Test func `a key of another size in a table of numbers`() throws {
    var specimen = try Specimen()
    let leaf = specimen.leaf(child: 1)
    let node = leaf + specimen.number(leaf + 16, bytes: 2)
    specimen.bytes[node + 6] = 6
    #expect(try specimen.findings().contains("the key of node 0 has 6 bytes"))
  }

  @Test func `keys out of order in a page`() throws {
    var specimen = try Specimen()
    let leaf = specimen.leaf(child: 1)
    let node = leaf + specimen.number(leaf + 18, bytes: 2)
    specimen.bytes[node + 8 + 5] = 1
    #expect(try specimen.findings().contains { $0.hasSuffix("is out of order") })
  }

  @Test func `keys that do not belong below their separator`() throws {
    var specimen = try Specimen()
    let leaf = specimen.leaf(child: 1)
    let node = leaf + specimen.number(leaf + 16, bytes: 2)
    for byte in 0..<8 { specimen.bytes[node + 8 + byte] = 0 }
    #expect(try specimen.findings().contains("the key of node 0 is out of order"))
  }

  @Test func `the flags of a value that cannot be`() throws {
    var specimen = try Specimen()
    let leaf = specimen.leaf(child: 1)
    let node = leaf + specimen.number(leaf + 16, bytes: 2)
    specimen.bytes[node + 4] = 4
    #expect(try specimen.findings().contains("the flags of a node are 4"))
  }

  @Test func `a page that is reached twice`() throws {
    var specimen = try Specimen()
    let root = specimen.root
    let (first, second) = (
      root + specimen.number(root + 16, bytes: 2), root + specimen.number(root + 18, bytes: 2)
    )
    for byte in 0..<6 { specimen.bytes[second + byte] = specimen.bytes[first + byte] }
    #expect(try specimen.findings().contains("the page is used twice"))
  }

  @Test func `a child beyond the file`() throws {
    var specimen = try Specimen()
    let root = specimen.root
    specimen.bytes[root + specimen.number(root + 16, bytes: 2) + 5] = 0x7F
    #expect(try specimen.findings().contains { $0.contains(" is not among ") })
  }

  @Test(arguments: [8, 16, 24, 32]) func `a record that counts otherwise`(offset: Int) throws {
    var specimen = try Specimen()
    specimen.bytes[specimen.record(1) + offset] ^= 1
    #expect(try specimen.findings().contains { $0.hasPrefix("the record says") })
  }

  @Test func `a depth that is not the tree's`() throws {
    var specimen = try Specimen()
    specimen.bytes[specimen.record(1) + 6] = 2
    #expect(try specimen.findings().contains { $0.hasPrefix("the flags are 1 at level 2") })
  }

  @Test func `a large value without its pages`() throws {
    var specimen = try Specimen()
    for page in stride(from: 8192, to: specimen.bytes.count, by: 4096)
    where specimen.number(page + 10, bytes: 2) == 4 && specimen.number(page, bytes: 8) * 4096 == page {
      specimen.bytes[page + 12] = 1
    }
    #expect(try specimen.findings().contains { $0.hasPrefix("a large value's header") })
  }

  @Test func `a free page that is in use`() throws {
    var specimen = try Specimen()
    let free = specimen.number(specimen.meta + 40 + 40, bytes: 8) * 4096
    #expect(specimen.number(free + 10, bytes: 2) == 2)
    let node = free + specimen.number(free + 16, bytes: 2)
    let list = node + 8 + 8
    try #require(specimen.number(list, bytes: 8) > 0)
    let used = specimen.leaf(child: 1) / 4096
    for byte in 0..<8 {
      specimen.bytes[list + byte] = byte == 0 ? 1 : 0
      specimen.bytes[list + 8 + byte] = UInt8(truncatingIfNeeded: used >> (8 * byte))
    }
    #expect(try specimen.findings() == ["a free page is in use"])
  }

  @Test(arguments: UInt64(1)...3) func `random flips never trap the check`(seed: UInt64) throws {
    let specimen = try Specimen()
    var random = SeededGenerator(seed: seed)
    var found = 0
    for round in 0..<100 {
      var bytes = specimen.bytes
      for _ in 0..<3 {
        // Two of three hit headers, where damage misleads most.
        let page = Int.random(in: 0..<bytes.count / 4096, using: &random)
        let offset = Int.random(in: 0..<(round % 3 == 0 ? 4096 : 64), using: &random)
        bytes[page * 4096 + offset] ^= UInt8.random(in: 1...255, using: &random)
      }
      try specimen.shelf.overwrite(bytes)
      do { found += try specimen.shelf.check().isClean ? 0 : 1 } catch is StoreFileError { found += 1 }
    }
    // Most flips hit headers or nodes' sizes of pages in use.
    #expect(found > 40)
  }
}
