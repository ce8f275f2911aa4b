/// LMDB's record of 48 bytes about one B-tree (`MDB_db` of LMDB 0.9).
struct TableRecord: Equatable {
  /// The number of its bytes.
  static let size = 48
  /// The page number that means no page.
  static let noPage = UInt64.max
  /// The flag of tables whose keys are numbers.
  static let integerKeys = 0x08

  let pad: UInt32
  let flags: Int
  let depth: Int
  let branchPages: UInt64
  let leafPages: UInt64
  let overflowPages: UInt64
  let entries: UInt64
  let root: UInt64

  /// Creates the record at `offset`, which has 48 bytes.
  init(_ bytes: Span<UInt8>, at offset: Int) {
    pad = bytes.number32(at: offset)
    flags = bytes.number16(at: offset + 4)
    depth = bytes.number16(at: offset + 6)
    branchPages = bytes.number64(at: offset + 8)
    leafPages = bytes.number64(at: offset + 16)
    overflowPages = bytes.number64(at: offset + 24)
    entries = bytes.number64(at: offset + 32)
    root = bytes.number64(at: offset + 40)
  }

  /// Returns a contradiction within the record, in a file of `pages` whole pages.
  func contradiction(pages: UInt64) -> String? {
    if root == Self.noPage {
      let isEmpty = depth == 0 && entries == 0 && branchPages == 0 && leafPages == 0 && overflowPages == 0
      return isEmpty ? nil : "a table without root has entries"
    }
    if root < 2 || root >= pages { return "the root is page \(root) of \(pages)" }
    // 32 levels is the depth of LMDB's own cursors.
    if depth < 1 || depth > 32 { return "the depth is \(depth)" }
    for count in [branchPages, leafPages, overflowPages] where count > pages {
      return "the record says \(count) pages of \(pages)"
    }
    // A page of 4,096 bytes has fewer than 2,048 nodes.
    if entries / 2_048 > pages { return "the record says \(entries) entries in \(pages) pages" }
    return nil
  }
}
