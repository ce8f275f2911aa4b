/// Reads the rows of a table with integer keys without liblmdb, and goes on after damaged pages.
///
/// Like ``PageCheck`` it reads with `pread` and bounds every number before it is used. As there, no reachable
/// page may be written meanwhile. A row's bytes are not checked.
public struct IntactRows: ~Copyable {
  /// What is at a key, or after it.
  public enum Found: Equatable, Sendable {
    /// The row with the lowest key from there on that a sound page has.
    case row(key: UInt64, value: [UInt8])
    /// Keys up to this one, whose page is damaged or cannot be read.
    case damage(through: UInt64, problem: String)
    /// There are no more rows.
    case end
  }

  /// The page at the bottom of the tree that was read last.
  private struct Leaf {
    var bytes: [UInt8] = []
    /// The keys that belong on the page. It has none of others.
    var keys: ClosedRange<UInt64> = 0...0
    /// The keys of its sound nodes in order, with the places of the nodes.
    var nodes: [(key: UInt64, index: Int)] = []

    /// The first sound node from a key on.
    func first(from key: UInt64) -> (key: UInt64, index: Int)? {
      var (low, high) = (0, nodes.count)
      while low < high {
        let middle = (low + high) / 2
        if nodes[middle].key < key { low = middle + 1 } else { high = middle }
      }
      return low < nodes.count ? nodes[low] : nil
    }
  }

  /// The reason why a page cannot be used.
  private struct Problem: Error {
    let what: String
    /// The keys that belong on the page or below it.
    let keys: ClosedRange<UInt64>
  }

  private var walk: PageWalk
  private let record: TableRecord
  /// The leaf of the rows in turn.
  private var leaf: Leaf?

  /// The number of rows, according to the table's record.
  public var count: UInt64 { record.entries }

  /// Begins with the newest commit of a file.
  ///
  /// - Throws: ``StoreFileError``, `damaged` if the pages that list the tables are.
  public init(_ table: TableDefinition, of name: String, in directory: Directory) throws(StoreFileError) {
    var walk = try PageWalk(
      file: directory.open(name, .read), tables: [table], later: [], ignoring: [], only: [], after: [:],
      maximumFindings: 0)
    try walk.run()
    let record = walk.records.first { $0.definition == table }?.record
    guard let record else {
      throw .damaged(file: name, reason: "the pages do not lead to the table \(table.name)", offset: 0)
    }
    self.walk = walk
    self.record = record
  }

  /// Returns the row with the lowest key from `key` on, or says how far damage reaches.
  ///
  /// A key before the row's has no row on its page, or had one that is lost.
  ///
  /// - Complexity: Without a system call for the rows of one page in order.
  public mutating func next(from key: UInt64) -> Found {
    var key = key
    while true {
      if leaf?.keys.contains(key) != true {
        leaf = nil
        guard record.root != TableRecord.noPage else { return .end }
        do throws(Problem) { leaf = try find(key) } catch {
          return .damage(through: error.keys.upperBound, problem: error.what)
        }
      }
      guard let leaf else { return .end }
      if let node = leaf.first(from: key) {
        do throws(Problem) { return .row(key: node.key, value: try value(of: node, in: leaf)) } catch {
          // The rows before it are not damaged.
          return .damage(through: node.key, problem: error.what)
        }
      }
      guard leaf.keys.upperBound < .max else { return .end }
      key = leaf.keys.upperBound + 1
    }
  }

  /// Returns the row with this key; `nil` if there is none, or its page is damaged.
  ///
  /// - Complexity: One system call for each level of the tree.
  public mutating func value(forKey key: UInt64) -> [UInt8]? {
    guard record.root != TableRecord.noPage else { return nil }
    do throws(Problem) {
      let leaf = try find(key)
      guard let node = leaf.first(from: key), node.key == key else { return nil }
      return try value(of: node, in: leaf)
    } catch {
      return nil
    }
  }

  /// Returns the page at the bottom of the tree on which a key belongs.
  private mutating func find(_ key: UInt64) throws(Problem) -> Leaf {
    var (number, keys) = (record.root, UInt64.min...UInt64.max)
    var bytes = [UInt8](repeating: 0, count: pageSize)
    for level in 1...max(1, min(record.depth, 32)) {
      let isLeaf = level == record.depth
      try read(number, into: &bytes, keys)
      let page = TreePage(bytes.span)
      if let what = page.problem(as: isLeaf ? TreePage.leaf : TreePage.branch, number) {
        throw Problem(what: "page \(number): \(what)", keys: keys)
      }
      if isLeaf { break }
      guard let child = page.child(for: key, within: keys) else {
        throw Problem(what: "page \(number): its keys are out of order", keys: keys)
      }
      (number, keys) = child
    }
    var leaf = Leaf(bytes: bytes, keys: keys)
    let page = TreePage(bytes.span)
    for index in 0..<page.count {
      guard let node = page.node(index), node.keyCount == 8 else { continue }
      let key = page.key(of: node).number64(at: 0)
      if keys.contains(key) { leaf.nodes.append((key, index)) }
    }
    leaf.nodes.sort { $0.key < $1.key }
    return leaf
  }

  /// Returns the value of a node, which may be on pages of its own.
  private mutating func value(
    of place: (key: UInt64, index: Int), in leaf: Leaf
  ) throws(Problem) -> [UInt8] {
    let page = TreePage(leaf.bytes.span)
    let keys = place.key...place.key
    guard let node = page.node(place.index), node.flags & ~Node.isLarge == 0 else {
      throw Problem(what: "page \(page.number): the node has other flags than a row", keys: keys)
    }
    let start = node.offset + node.keyEnd
    guard node.flags & Node.isLarge != 0 else {
      return Array(leaf.bytes[start..<start + node.storedCount])
    }
    let first = page.bytes.number64(at: start)
    let pages = (TreePage.headerSize - 1 + node.valueCount) / pageSize + 1
    // Bounded by the file, so that memory is too.
    guard first >= 2, first < walk.limit, UInt64(pages) <= walk.limit - first else {
      throw Problem(what: "page \(page.number): a large value on page \(first)", keys: keys)
    }
    var bytes = [UInt8](repeating: 0, count: TreePage.headerSize + node.valueCount)
    try read(first, into: &bytes, keys)
    let large = TreePage(bytes.span)
    guard large.number == first, large.flags == TreePage.overflow else {
      throw Problem(what: "page \(first): it does not begin a large value", keys: keys)
    }
    return Array(bytes[TreePage.headerSize...])
  }

  /// Reads a page, or a large value from its first page on.
  private mutating func read(
    _ number: UInt64, into bytes: inout [UInt8], _ keys: ClosedRange<UInt64>
  ) throws(Problem) {
    guard number >= 2, number < walk.limit else {
      throw Problem(what: "page \(number) is not among the \(walk.limit) of the file", keys: keys)
    }
    do throws(StoreFileError) { try walk.read(number, into: &bytes) } catch {
      // Pages are read ahead, and only one of them need be unreadable. Again, this one is read alone.
      do throws(StoreFileError) { try walk.read(number, into: &bytes) } catch {
        throw Problem(what: "page \(number): \(error)", keys: keys)
      }
    }
  }
}

extension TreePage {
  /// The reason why these bytes are not the page of a tree that was looked for.
  fileprivate func problem(as kind: Int, _ expected: UInt64) -> String? {
    if number != expected { return "it says it is page \(number)" }
    if flags != kind { return "its flags are \(flags)" }
    if let contradiction { return contradiction }
    return count == 0 ? "it has no nodes" : nil
  }

  /// The child page of a branch page on which a key belongs, and the keys that belong there.
  ///
  /// - Returns: `nil` if the keys of the page are not in order, or not among `keys`.
  fileprivate func child(
    for key: UInt64, within keys: ClosedRange<UInt64>
  ) -> (number: UInt64, keys: ClosedRange<UInt64>)? {
    guard var found = node(0)?.child else { return nil }
    var (lower, last) = (keys.lowerBound, keys.lowerBound)
    // The first key of a branch page covers everything below the second.
    for index in 1..<max(1, count) {
      guard let node = node(index), node.keyCount == 8 else { return nil }
      let start = self.key(of: node).number64(at: 0)
      guard start > last || index == 1 && start == last, keys.contains(start) else { return nil }
      last = start
      if start > key { return (found, lower...start - 1) }
      (found, lower) = (node.child, start)
    }
    return (found, lower...keys.upperBound)
  }
}
