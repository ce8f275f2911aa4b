#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// One of the two pages at the start of a file that refer to the rest (`MDB_meta` of LMDB 0.9).
struct MetaPage: Equatable {
  /// The flag of meta pages in a page's header.
  static let pageFlag = 0x08

  let mapSize: UInt64
  let free: TableRecord
  let main: TableRecord
  let lastPage: UInt64
  let transaction: UInt64

  /// Creates the meta page with this number.
  ///
  /// - Parameters:
  ///   - page: The 4,096 bytes.
  ///   - number: 0 or 1.
  ///   - pages: The number of whole pages of the file.
  ///   - file: The file's name, for errors.
  init(
    _ page: Span<UInt8>, number: Int, pages: UInt64, file: String
  ) throws(StoreFileError) {
    let start = number * pageSize
    func damage(_ reason: String, at offset: Int) -> StoreFileError {
      .damaged(file: file, reason: "meta page \(number): " + reason, offset: start + offset)
    }
    guard page.number32(at: 16) == 0xBEEF_C0DE else {
      throw .notLMDB(file: file, reason: "the mark of meta page \(number) is not LMDB's")
    }
    let version = page.number32(at: 20)
    guard version == 1 else {
      throw .notLMDB(file: file, reason: "the data version is \(version), not 1")
    }
    guard page.number64(at: 0) == UInt64(number), page.number16(at: 10) == Self.pageFlag else {
      throw damage("the page's header is no meta page's", at: 0)
    }
    mapSize = page.number64(at: 32)
    free = TableRecord(page, at: 40)
    main = TableRecord(page, at: 88)
    lastPage = page.number64(at: 136)
    transaction = page.number64(at: 144)
    guard free.pad == UInt32(pageSize) else {
      throw .notLMDB(file: file, reason: "the page size is \(free.pad), not \(pageSize)")
    }
    // The free table's flags also have the environment's: 0x4000 means that the file has no directory of its
    // own.
    guard free.flags & ~0x4000 == TableRecord.integerKeys else {
      throw damage("the free table's flags are \(free.flags)", at: 44)
    }
    guard main.flags == 0 else { throw damage("the main table's flags are \(main.flags)", at: 92) }
    // The page number is bounded first, so that the product cannot overflow.
    guard mapSize < 1 << 46, lastPage >= 1, lastPage < 1 << 34, lastPage * UInt64(pageSize) <= mapSize else {
      throw damage("the map has \(mapSize) bytes, the last page is \(lastPage)", at: 32)
    }
    for (table, offset) in [(free, 40), (main, 88)] {
      // A root beyond the last page that a map can have is damage, and its product might overflow.
      if table.root != TableRecord.noPage, table.root >= pages, table.root < 1 << 34 {
        let need = (Int(table.root) + 1) * pageSize
        throw .truncated(file: file, have: Int(pages) * pageSize, need: need)
      }
      if let reason = table.contradiction(pages: pages) { throw damage(reason, at: offset) }
    }
    guard transaction < 1 << 62 else { throw damage("the transaction is \(transaction)", at: 144) }
  }

  /// Checks that the roots are among the pages in use: one after `lastPage` would be allocated again.
  ///
  /// This is only checked for the newer page. If a commit fails to write its meta page, LMDB 0.9 restores the
  /// old transaction and last page there, next to the roots of the commit (`mdb_env_write_meta`). Then the
  /// other page remains the newer one.
  func checkRoots(number: Int, file: String) throws(StoreFileError) {
    for (table, offset) in [(free, 40), (main, 88)]
    where table.root != TableRecord.noPage && table.root > lastPage {
      throw .damaged(
        file: file, reason: "meta page \(number): a root beyond the last page",
        offset: number * pageSize + offset)
    }
  }
}

/// Both meta pages.
struct MetaPages: Equatable {
  /// The pages by number.
  let pages: [MetaPage]
  /// The one that the last commit wrote.
  let newer: MetaPage
  /// The length of the file when they were read.
  let size: Int

  /// The number of times that an inconsistent reading is repeated, one millisecond apart, before it counts as
  /// damage.
  private static let attempts = 20

  /// Reads and checks the meta pages of an open file, without liblmdb.
  ///
  /// Another process may commit meanwhile: a reading between two of its commits, or during one, is repeated.
  init(of file: borrowing File) throws(StoreFileError) {
    var attempt = 1
    while true {
      do {
        try self.init(once: file)
        return
      } catch {
        guard attempt < Self.attempts else { throw error }
      }
      attempt += 1
      _ = usleep(1_000)
    }
  }

  /// Reads and checks the meta pages as they are now.
  ///
  /// The two transactions are consecutive and each is on its own page, because LMDB writes the pages in turn.
  /// In a file that no transaction has changed both are 0.
  private init(once file: borrowing File) throws(StoreFileError) {
    var bytes = [UInt8](repeating: 0, count: 2 * pageSize)
    var span = bytes.mutableSpan
    let count = try file.read(into: &span, at: 0)
    // After the pages: the file only grows, and never after the meta page that refers to the new pages.
    let size = try file.status().size
    guard count == 2 * pageSize else {
      throw .truncated(file: file.name, have: min(count, size), need: 2 * pageSize)
    }
    let whole = UInt64(size / pageSize)
    let first = try MetaPage(
      bytes.span.extracting(0..<pageSize), number: 0, pages: whole, file: file.name)
    let second = try MetaPage(
      bytes.span.extracting(pageSize..<2 * pageSize), number: 1, pages: whole, file: file.name)
    let isNew = first.transaction == 0 && second.transaction == 0
    let areNeighbours =
      first.transaction % 2 == 0 && second.transaction % 2 == 1
      && (first.transaction + 1 == second.transaction || second.transaction + 1 == first.transaction)
    guard isNew || areNeighbours else {
      throw .damaged(
        file: file.name,
        reason: "the meta pages are of transactions \(first.transaction) and \(second.transaction)",
        offset: 144)
    }
    pages = [first, second]
    let number = second.transaction > first.transaction ? 1 : 0
    newer = pages[number]
    try newer.checkRoots(number: number, file: file.name)
    self.size = size
  }
}
