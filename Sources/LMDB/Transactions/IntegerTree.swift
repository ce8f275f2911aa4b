import CAnnals
import CLMDB
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The tree of a table whose keys are numbers, searched in the map of a read transaction without LMDB.
///
/// LMDB compares some thirty keys for each one that it finds, most of them in memory that is in no cache. The
/// places of keys without gaps can be guessed instead, and the memory of several can be fetched at the same
/// time.
///
/// A search has an answer only where all pages on its way are as expected. Otherwise the caller asks LMDB,
/// which also says what is wrong.
///
/// `@safe`: every address is in a page below `pages`, which the map has, and every offset is kept inside its
/// page. The owner keeps the transaction open, so no page of its tree changes.
@safe
struct IntegerTree {
  /// LMDB's number of the table that has the records of all others (`MAIN_DBI`).
  private static let main: UInt32 = 1
  private let map: UnsafeRawPointer
  /// One more than the number of the last page in use.
  private let pages: UInt64
  private let root: UInt64
  private let depth: Int
  /// The number of keys, which is also the last one if they have no gaps.
  private let count: UInt64

  /// Finds the tree of `table` in a read transaction; `nil` if it is empty or not as expected.
  init?(of table: Table, in transaction: TransactionHandle, _ environment: Environment) {
    var info = unsafe MDB_envinfo()
    guard unsafe mdb_env_info(mdb_txn_env(transaction.pointer), &info) == MDB_SUCCESS else { return nil }
    // Another process may have added pages that this map does not have.
    unsafe pages = UInt64(min(info.me_last_pgno + 1, info.me_mapsize / pageSize))
    var name = table.definition.name
    var value = unsafe MDB_val()
    let code = name.withUTF8 { name in
      var key = unsafe MDB_val(reading: UnsafeRawBufferPointer(name))
      return unsafe mdb_get(transaction.pointer, Self.main, &key, &value)
    }
    guard code == MDB_SUCCESS, unsafe value.mv_size == TableRecord.size, let start = unsafe value.mv_data
    else { return nil }
    let record = unsafe TableRecord(value.span, at: 0)
    // The record is in a page of the map.
    guard let page = unsafe UnsafeRawPointer(bitPattern: UInt(bitPattern: start) & ~UInt(pageSize - 1)),
      let map = unsafe environment.map(with: page, of: pages)
    else { return nil }
    unsafe self.map = map
    guard record.contradiction(pages: pages) == nil, record.root != TableRecord.noPage,
      record.flags == TableRecord.integerKeys
    else { return nil }
    (root, depth, count) = (record.root, record.depth, record.entries)
  }

  /// Returns the last key; `nil` if the search has no answer.
  var lastKey: UInt64? {
    var number = root
    for _ in 1..<depth {
      guard let page = page(number, TreePage.branch) else { return nil }
      number = page.child(page.count - 1)
    }
    guard let leaf = page(number, TreePage.leaf) else { return nil }
    return leaf.hasNumber(leaf.count - 1) ? leaf.key(leaf.count - 1) : nil
  }

  /// Returns the value of `key`; `nil` if the search has no answer.
  func value(forKey key: UInt64) -> MDB_val? {
    guard let place = leaf(for: key) else { return nil }
    fetch(place)
    return unsafe value(at: place)
  }
}

extension Environment {
  /// Returns the beginning of the map, which a page in it shows by its own number; `nil` if the number is
  /// wrong.
  ///
  /// A damaged number would lead out of the map. So the page is compared with the one that the file has
  /// under its number, each time that the map begins elsewhere.
  ///
  /// - Parameter pages: One more than the number of the last page in use.
  fileprivate func map(with page: UnsafeRawPointer, of pages: UInt64) -> UnsafeRawPointer? {
    let number = unsafe page.loadUnaligned(as: UInt64.self)
    guard number >= 2, number < pages else { return nil }
    let map = unsafe page - Int(number) * pageSize
    let address = UInt(bitPattern: map)
    if mapAddress.load(ordering: .relaxed) == address { return unsafe map }
    guard let descriptor = try? handle.descriptor() else { return nil }
    let isEqual = unsafe withUnsafeTemporaryAllocation(byteCount: pageSize, alignment: 8) { buffer in
      guard let bytes = buffer.baseAddress else { return false }
      let read = unsafe pread(descriptor, bytes, pageSize, off_t(number) * off_t(pageSize))
      return unsafe read == pageSize && memcmp(bytes, page, pageSize) == 0
    }
    guard isEqual else { return nil }
    mapAddress.store(address, ordering: .relaxed)
    return unsafe map
  }
}

// A search in three steps, between which the memory of the next one is fetched.
extension IntegerTree {
  /// The leaf that has a key, if any has.
  struct Place {
    fileprivate let key: UInt64
    /// The number of the leaf's page, which has not been looked at.
    fileprivate let page: UInt64
    /// The least key of the leaf, as far as the branches say it.
    fileprivate let least: UInt64
  }

  /// Returns the leaf that has `key`, if any has, and begins to fetch the leaf's header.
  @inline(__always)
  func leaf(for key: UInt64) -> Place? {
    var number = root
    // The keys of the page: from the first number on, and below the second one.
    var (least, end) = (0 as UInt64, count &+ 1)
    for _ in 1..<depth {
      guard let page = page(number, TreePage.branch) else { return nil }
      // The first node of a branch has no key.
      let index = page.index(of: key, from: 1, guess: page.guess(for: key, from: least, to: end))
      if index > 0 { least = page.key(index) }
      if index + 1 < page.count { end = page.key(index + 1) }
      number = page.child(index)
    }
    guard number < pages else { return nil }
    unsafe annals_prefetch_read(map + Int(number) * pageSize)
    return Place(key: key, page: number, least: least)
  }

  /// Begins to fetch the value at a place whose leaf has been fetched.
  @inline(__always)
  func fetch(_ place: Place) {
    guard let leaf = page(place.page, TreePage.leaf) else { return }
    let node = unsafe leaf.node(guess(place, in: leaf))
    for line in 0..<4 { unsafe annals_prefetch_read(node + line * 64) }
  }

  /// Returns the value at a place; `nil` if the search has no answer.
  @inline(__always)
  func value(at place: Place) -> MDB_val? {
    guard let leaf = page(place.page, TreePage.leaf) else { return nil }
    var index = guess(place, in: leaf)
    if leaf.key(index) != place.key {
      index = leaf.index(of: place.key, from: 0, guess: index)
      guard index >= 0, leaf.key(index) == place.key else { return nil }
    }
    return unsafe leaf.value(index)
  }

  @inline(__always)
  private func guess(_ place: Place, in leaf: Page) -> Int {
    min(Int(clamping: place.key &- place.least), leaf.count - 1)
  }
}

extension IntegerTree {
  /// A page of the tree with at least one node.
  @safe
  private struct Page {
    let start: UnsafeRawPointer
    /// The number of nodes; their offsets are in the page.
    let count: Int

    /// The offset of a node, whose first eight bytes are in the page.
    @inline(__always)
    private func offset(_ index: Int) -> Int {
      let offset = unsafe start.loadUnaligned(
        fromByteOffset: TreePage.headerSize + 2 * index, as: UInt16.self)
      return min(Int(offset), pageSize - Node.headerSize)
    }

    /// The address of a node.
    @inline(__always)
    func node(_ index: Int) -> UnsafeRawPointer { unsafe start + offset(index) }

    /// The key of a node, which has eight bytes in a page as expected. The first node of a branch has none.
    @inline(__always)
    func key(_ index: Int) -> UInt64 {
      let place = min(offset(index) + Node.headerSize, pageSize - 8)
      return unsafe start.loadUnaligned(fromByteOffset: place, as: UInt64.self)
    }

    /// The number of the page that a node of a branch leads to.
    @inline(__always)
    func child(_ index: Int) -> UInt64 {
      unsafe node(index).loadUnaligned(as: UInt64.self) & 0xffff_ffff_ffff
    }

    /// Whether the key of a node has eight bytes.
    @inline(__always)
    func hasNumber(_ index: Int) -> Bool {
      unsafe node(index).loadUnaligned(fromByteOffset: 6, as: UInt16.self) == 8
    }

    /// The value of a leaf's node; `nil` if it is not a value within the page.
    @inline(__always)
    func value(_ index: Int) -> MDB_val? {
      let node = unsafe self.node(index)
      let head = unsafe node.loadUnaligned(as: UInt64.self)
      // No flag, and a key of eight bytes.
      guard head >> 32 == 8 << 16 else { return nil }
      let size = Int(head & 0xffff_ffff)
      guard unsafe node - start + 2 * Node.headerSize + size <= pageSize else { return nil }
      return unsafe MDB_val(
        mv_size: size, mv_data: UnsafeMutableRawPointer(mutating: node + 2 * Node.headerSize))
    }

    /// Where `key` probably is in a branch whose keys are from `least` on and below `end`.
    @inline(__always)
    func guess(for key: UInt64, from least: UInt64, to end: UInt64) -> Int {
      guard key >= least, key < end else { return count - 1 }
      return max(Int(Double(key - least) / Double(end - least) * Double(count)), 1)
    }

    /// Returns the last index from `first` on whose key is not after `key`; `first - 1` if there is none.
    @inline(__always)
    func index(of key: UInt64, from first: Int, guess: Int) -> Int {
      var (low, high) = (first - 1, count)
      var (probe, step) = (guess, 1)
      while low + 1 < high {
        // Further and further away from the guess, then in the middle of the rest.
        if probe <= low || probe >= high { probe = low + (high - low) / 2 }
        if self.key(probe) <= key {
          low = probe
          probe += step
        } else {
          high = probe
          probe -= step
        }
        step *= 2
      }
      return low
    }
  }

  /// Returns the page with a number; `nil` if it is not of this kind.
  @inline(__always)
  private func page(_ number: UInt64, _ kind: Int) -> Page? {
    guard number >= 2, number < pages else { return nil }
    let start = unsafe map + Int(number) * pageSize
    let flags = unsafe start.loadUnaligned(fromByteOffset: 10, as: UInt16.self)
    let lower = Int(unsafe start.loadUnaligned(fromByteOffset: 12, as: UInt16.self))
    guard Int(flags) == kind, lower > TreePage.headerSize, lower <= pageSize else { return nil }
    return unsafe Page(start: start, count: (lower - TreePage.headerSize) / 2)
  }
}
