import Testing

@testable import LMDB

@Suite struct `A meta page` {
  @Test func `is refused or read, whichever bit of it is flipped`() throws {
    let bytes = try Shelf.forest().bytes()
    let pages = UInt64(bytes.count / 4096)
    for number in 0..<2 {
      let page = Array(bytes[number * 4096..<(number + 1) * 4096])
      #expect(throws: Never.self) {
        _ = try MetaPage(page.span, number: number, pages: pages, file: "shelf.mdb")
      }
      var refused = 0
      for bit in 0..<152 * 8 {
        var flipped = page
        flipped[bit / 8] ^= 1 << (bit % 8)
        do throws(StoreFileError) {
          _ = try MetaPage(flipped.span, number: number, pages: pages, file: "shelf.mdb")
        } catch {
          refused += 1
        }
      }
      #expect(refused > 400, "\(refused)")
    }
  }

  @Test func `with the root of a table beyond any file is damaged`() throws {
    let bytes = try Shelf.forest().bytes()
    for offset in [40, 88] {
      var page = Array(bytes[..<4096])
      page[offset + 40 + 6] = 0x80
      let error = #expect(throws: StoreFileError.self) {
        _ = try MetaPage(page.span, number: 0, pages: UInt64(bytes.count / 4096), file: "shelf.mdb")
      }
      #expect("\(try #require(error))".contains("the root is page"))
    }
  }
}
