@testable import LMDB
import Testing

@Suite struct `Checking the pages of a file` {
  @Test func `a file of deep trees, large values and free pages is clean`() throws {
    let shelf = try Shelf.forest()
    let environment = try shelf.open()
    let report = try shelf.check()
    #expect(report.findings == [])
    #expect(report.pages.free > 100)
    #expect(report.pages.unaccounted == 0)
    for table in [environment.numbers, environment.names] {
      let statistics = try environment.read { (transaction) throws(EnvironmentError) in
        try transaction.statistics(of: table)
      }
      #expect(statistics.depth >= 3)
      #expect(report.tables[table.definition.name] == statistics)
    }
    #expect(report.pages.overflow > 50)
    #expect(try report.transaction == environment.lastTransaction())
  }

  @Test func `a new file is clean`() throws {
    let shelf = try Shelf()
    do { _ = try shelf.create() }
    #expect(try shelf.check().findings == [])
  }

  @Test func `a list of free pages that is longer than a page is read`() throws {
    let shelf = try Shelf()
    do {
      let environment = try shelf.create()
      let large = [UInt8](repeating: 1, count: 4 << 20)
      try environment.write { (transaction) throws(EnvironmentError) in
        for key in 0..<4 { try transaction.put(large.span, forKey: UInt64(key), in: environment.numbers) }
      }
      try environment.write { (transaction) throws(EnvironmentError) in
        for key in 0..<4 { try transaction.delete(key: UInt64(key), in: environment.numbers) }
      }
    }
    let report = try shelf.check()
    #expect(report.findings == [])
    #expect(report.pages.free > 4_000)
  }

  @Test func `a table that is not in the list is found, and one that is missing`() throws {
    let shelf = try Shelf()
    do { _ = try shelf.create() }
    let report = try PageCheck.run(
      Shelf.file, in: shelf.directory,
      tables: [TableDefinition("numbers", integerKeys: true), TableDefinition("other", integerKeys: true)])
    #expect(
      report.findings.map(\.what) == ["a table that is not in the list", "the table other is missing"])
  }

  @Test func `a table with other flags is found`() throws {
    let shelf = try Shelf()
    do { _ = try shelf.create() }
    let tables = [TableDefinition("numbers", integerKeys: false), Shelf.tables[1]]
    let report = try PageCheck.run(Shelf.file, in: shelf.directory, tables: tables)
    #expect(report.findings.first?.what == "the flags of numbers are 8")
  }

  @Test func `only the first findings are kept, but all are counted`() throws {
    let shelf = try Shelf.forest()
    var bytes = try shelf.bytes()
    for page in 2..<bytes.count / 4096 { bytes[page * 4096 + 12] ^= 1 }
    try shelf.overwrite(bytes)
    let report = try PageCheck.run(
      Shelf.file, in: shelf.directory, tables: Shelf.tables, maximumFindings: 2)
    #expect(report.findings.count == 2)
    #expect(report.findingCount > 2)
  }

  @Test func `a file without pages in its middle is found`() throws {
    let shelf = try Shelf.forest()
    var bytes = try shelf.bytes()
    let middle = bytes.count / 4096 / 2 * 4096
    bytes.replaceSubrange(middle..<middle + 40 * 4096, with: repeatElement(0, count: 40 * 4096))
    try shelf.overwrite(bytes)
    #expect(try !shelf.check().isClean)
  }

  @Test func `a check of some tables reads the list of free pages only if it is among them`() throws {
    let shelf = try Shelf.forest()
    var bytes = try shelf.bytes()
    let root = Int(try MetaPages(of: shelf.directory.open(Shelf.file, .read)).newer.free.root)
    bytes[root * 4096 + 10] ^= 0xff
    try shelf.overwrite(bytes)
    func findings(_ only: [String]) throws -> [String] {
      try PageCheck.run(Shelf.file, in: shelf.directory, tables: Shelf.tables, only: only, writers: nil)
        .findings.map(\.table)
    }
    #expect(try findings(["names"]).isEmpty)
    #expect(try findings(["names", PageCheck.freeList]).first == PageCheck.freeList)
  }

  @Test func `a check changes no byte`() throws {
    let shelf = try Shelf.forest()
    let before = try shelf.bytes()
    _ = try shelf.check()
    #expect(try shelf.bytes() == before)
  }
}
