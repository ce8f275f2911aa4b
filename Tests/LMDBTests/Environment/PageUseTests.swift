import LMDB
import Testing

@Suite struct `Use of pages` {
  @Test func `pages that a commit has freed are free, and all pages are one or the other`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    #expect(try environment.beginRead().pageUse().free == 0)
    for number in 1...200 as ClosedRange<UInt64> {
      try environment.write { (transaction) throws(EnvironmentError) in
        try transaction.put([UInt8](repeating: 7, count: 3000).span, forKey: number, in: environment.numbers)
      }
    }
    let use = try environment.beginRead().pageUse()
    let report = try PageCheck.run(Shelf.file, in: shelf.directory, tables: Shelf.tables)
    #expect(use.used == report.pages.branch + report.pages.leaf + report.pages.overflow + 2)
    #expect(use.free == report.pages.free + report.pages.unaccounted)
    #expect(use.free > 0)
    #expect(use.total == use.used + use.free)
  }
}
