/// A page of a B-tree: a header of 16 bytes, the offsets of the nodes, and from the end downwards the nodes.
///
/// Header (`MDB_page` of LMDB 0.9): page number (8), unused (2), flags (2), end of the offsets (2), start of
/// the nodes (2).
struct TreePage: ~Escapable {
  static let branch = 0x01
  static let leaf = 0x02
  static let overflow = 0x04
  static let headerSize = 16

  let bytes: Span<UInt8>

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
  }

  var number: UInt64 { bytes.number64(at: 0) }
  var flags: Int { bytes.number16(at: 10) }
  var lower: Int { bytes.number16(at: 12) }
  var upper: Int { bytes.number16(at: 14) }
  /// The number of pages of a large value, stored in place of the bounds of other pages.
  var overflowPages: UInt32 { bytes.number32(at: 12) }

  /// The number of nodes, for a page whose bounds have been checked.
  var count: Int { (lower - Self.headerSize) / 2 }

  /// A contradiction of the bounds.
  var contradiction: String? {
    if lower < Self.headerSize || lower % 2 != 0 || upper > pageSize || lower > upper {
      return "the bounds are \(lower) and \(upper)"
    }
    return nil
  }

  /// Returns the node with this index, or `nil` if it is not between the upper bound and the end of the page.
  func node(_ index: Int) -> Node? {
    let offset = bytes.number16(at: Self.headerSize + 2 * index)
    guard offset >= upper, offset % 2 == 0, offset + Node.headerSize <= pageSize else { return nil }
    let node = Node(bytes, at: offset)
    let size = flags & Self.branch != 0 ? node.keyEnd : node.keyEnd + node.storedCount
    guard offset + size <= pageSize else { return nil }
    return node
  }

  /// Returns the key of a node of this page.
  @_lifetime(copy self)
  func key(of node: Node) -> Span<UInt8> {
    bytes.extracting(node.offset + Node.headerSize..<node.offset + node.keyEnd)
  }
}

/// A key with its value or its child page (`MDB_node` of LMDB 0.9): three numbers of 16 bits, the key's size
/// (2), the key, the value.
struct Node {
  static let headerSize = 8
  /// The value is on pages of its own; the node has the number of the first one.
  static let isLarge = 0x01
  /// The value is the record of a table.
  static let isTable = 0x02

  let offset: Int
  let flags: Int
  let keyCount: Int
  /// The low 32 bits: the value's size, or the low bits of the child.
  let low: UInt32

  init(_ bytes: Span<UInt8>, at offset: Int) {
    self.offset = offset
    low = bytes.number32(at: offset)
    flags = bytes.number16(at: offset + 4)
    keyCount = bytes.number16(at: offset + 6)
  }

  /// The end of the key, counted from the start of the node.
  var keyEnd: Int { Self.headerSize + keyCount }
  /// The number of the child page, in a node of a branch page.
  var child: UInt64 { UInt64(low) | UInt64(flags) << 32 }
  /// The size of the value, in the page or on its own pages.
  var valueCount: Int { Int(low) }
  /// The number of bytes of the value that are in the page.
  var storedCount: Int { flags & Self.isLarge != 0 ? 8 : valueCount }
}
