/// The check of all trees of a file, starting at the newer meta page.
struct PageWalk: ~Copyable {
  /// The tree that is being checked.
  struct Tree {
    let name: String
    let integerKeys: Bool
    let isMain: Bool
    let isFree: Bool
    let depth: Int
    /// Pages with only keys up to this one are skipped; `nil` to check everything.
    var after: UInt64?
    var branch: UInt64 = 0
    var leaf: UInt64 = 0
    var overflow: UInt64 = 0
    var entries: UInt64 = 0
  }

  let file: File
  let metas: MetaPages
  let definitions: [TableDefinition]
  /// Optional tables.
  let later: [TableDefinition]
  /// The names of optional tables that are not checked.
  let ignored: [String]
  let maximumFindings: Int
  /// The names of the tables whose trees are checked, with ``freeList`` for the list of free pages; `nil` for
  /// everything.
  let only: [String]?
  /// By the table's name, the key after which the check of a tree begins.
  let after: [String: UInt64]
  /// The lowest page number that is beyond the file, or that LMDB has not allocated.
  let limit: UInt64
  var used: PageSet
  var free: PageSet
  /// The number of listed free pages beyond the end of the file.
  var freeBeyondEnd: UInt64 = 0
  var report = PageCheck.Report()
  var tree = Tree(name: "main", integerKeys: false, isMain: true, isFree: false, depth: 0)
  /// Pages that were read together, because the walk needs neighbours in turn.
  private var ahead: [UInt8] = []
  /// The numbers of these pages.
  private var aheadNumbers: Range<UInt64> = 0..<0
  /// The page that was read last.
  private var last: UInt64 = 0
  /// The most pages that are read together.
  private static let mostAhead = 64
  /// The name of the table of free pages.
  static let freeList = "free"

  /// The records of tables in the main table.
  var records: [(definition: TableDefinition, record: TableRecord, page: UInt64, offset: Int)] = []

  init(
    file: consuming File, tables: [TableDefinition], later: [TableDefinition], ignoring ignored: [String],
    only: [String]?, after: [String: UInt64],
    maximumFindings: Int
  ) throws(StoreFileError) {
    metas = try MetaPages(of: file)
    let pages = metas.size / pageSize
    limit = min(UInt64(pages), metas.newer.lastPage + 1)
    let isSmall = only.map { !$0.contains(Self.freeList) } ?? false
    used = PageSet(limit: pages, isSmall: isSmall)
    free = PageSet(limit: pages, isSmall: isSmall)
    definitions = tables
    self.later = later
    self.ignored = ignored
    self.only = only
    self.after = after
    self.maximumFindings = maximumFindings
    self.file = file
    report.pages.total = pages
    report.transaction = metas.newer.transaction
  }

  mutating func run() throws(StoreFileError) {
    let newer = metas.newer
    let meta = newer.transaction % 2
    try walk(newer.main, TableDefinition("main", integerKeys: false), isMain: true, page: meta, offset: 88)
    for (definition, record, page, offset) in records {
      guard only?.contains(definition.name) ?? true else {
        // The pages of unchecked trees are not read, but the sizes in their records are checked.
        if let reason = record.contradiction(pages: limit) { find(reason, page: page, at: offset) }
        continue
      }
      try walk(record, definition, page: page, offset: offset)
    }
    for definition in definitions where !records.contains(where: { $0.definition == definition }) {
      find("the table \(definition.name) is missing", page: meta, at: 88)
    }
    guard only?.contains(Self.freeList) ?? true else { return }
    try walk(
      newer.free, TableDefinition(Self.freeList, integerKeys: true), isFree: true, page: meta, offset: 40)
    for page in used.common(with: free) { find("a free page is in use", page: page, at: 0) }
    report.pages.free = free.count
    guard only == nil else { return }
    report.pages.unaccounted = max(0, Int(limit) - 2 - used.count - free.count)
  }

  /// Checks only the list of free pages.
  ///
  /// - Returns: Whether it has every page between the end of the file and the last page that LMDB has
  ///   allocated.
  mutating func runFree() throws(StoreFileError) -> Bool {
    let newer = metas.newer
    let meta = newer.transaction % 2
    try walk(
      newer.free, TableDefinition(Self.freeList, integerKeys: true), isFree: true, page: meta, offset: 40)
    return report.isClean && freeBeyondEnd == newer.lastPage + 1 - min(limit, newer.lastPage + 1)
  }

  /// Records a problem at a byte of a page.
  mutating func find(_ what: String, page: UInt64, at offset: Int) {
    report.findingCount += 1
    guard report.findings.count < maximumFindings else { return }
    let start = page.multipliedReportingOverflow(by: UInt64(pageSize)).partialValue
    report.findings.append(
      PageCheck.Finding(
        page: page, offset: start &+ UInt64(offset), table: tree.name, what: what))
  }

  /// Checks a whole tree, and compares its contents with the tree's record.
  private mutating func walk(
    _ record: TableRecord, _ definition: TableDefinition, isMain: Bool = false, isFree: Bool = false,
    page: UInt64, offset: Int
  ) throws(StoreFileError) {
    tree = Tree(
      name: definition.name, integerKeys: definition.integerKeys, isMain: isMain, isFree: isFree,
      depth: record.depth, after: after[definition.name])
    if let reason = record.contradiction(pages: limit) {
      find(reason, page: page, at: offset)
      return
    }
    if record.root != TableRecord.noPage {
      try visit(record.root, level: 1, from: (page, offset + 40), lower: nil, upper: nil)
    }
    guard tree.after == nil else { return }
    let counts = [
      ("inner pages", record.branchPages, tree.branch), ("leaf pages", record.leafPages, tree.leaf),
      ("pages of large values", record.overflowPages, tree.overflow),
      ("entries", record.entries, tree.entries),
    ]
    for (what, said, found) in counts where said != found {
      find("the record says \(said) \(what), there are \(found)", page: page, at: offset)
    }
    report.pages.branch += Int(tree.branch)
    report.pages.leaf += Int(tree.leaf)
    report.pages.overflow += Int(tree.overflow)
    if !isMain && !isFree {
      report.tables[definition.name] = TableStatistics(
        entries: Int(tree.entries), depth: record.depth, branchPages: Int(tree.branch),
        leafPages: Int(tree.leaf), overflowPages: Int(tree.overflow))
    }
  }

  /// Marks pages as used by the tree that is being checked.
  ///
  /// - Returns: Whether they are in the file and nothing else uses them.
  mutating func take(_ first: UInt64, count: UInt64, from place: (page: UInt64, offset: Int)) -> Bool {
    let (end, overflow) = first.addingReportingOverflow(count)
    guard first >= 2, !overflow, end <= limit else {
      find("page \(first) with \(count - 1) more is not among \(limit)", page: place.page, at: place.offset)
      return false
    }
    for number in first..<end where !used.insert(number) {
      find("the page is used twice", page: number, at: 0)
      return false
    }
    return true
  }

  /// Reads one page of the file.
  mutating func read(_ number: UInt64, into page: inout [UInt8]) throws(StoreFileError) {
    if page.count == pageSize, try readAhead(number, into: &page) { return }
    let offset = Int(number) * pageSize
    var span = page.mutableSpan
    let count = try file.read(into: &span, at: offset)
    guard count == page.count else {
      throw .truncated(file: file.name, have: offset + count, need: offset + page.count)
    }
  }

  /// Reads one page together with those after it, if the last one was its neighbour.
  ///
  /// - Returns: Whether it was read.
  private mutating func readAhead(_ number: UInt64, into page: inout [UInt8]) throws(StoreFileError) -> Bool {
    defer { last = number }
    if !aheadNumbers.contains(number) {
      guard number == last + 1, number < limit else { return false }
      let count = min(Self.mostAhead, Int(limit - number))
      aheadNumbers = 0..<0
      var pages = ahead
      ahead = []
      if pages.isEmpty { pages = Array(repeating: 0, count: Self.mostAhead * pageSize) }
      var span = pages.mutableSpan
      var part = span._mutatingExtracting(0..<count * pageSize)
      let read = try file.read(into: &part, at: Int(number) * pageSize)
      ahead = pages
      aheadNumbers = number..<number + UInt64(read / pageSize)
      guard aheadNumbers.contains(number) else { return false }
    }
    let start = Int(number - aheadNumbers.lowerBound) * pageSize
    let bytes = ahead.span.extracting(start..<start + pageSize)
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe page.withUnsafeMutableBytes { unsafe $0.copyMemory(from: bytes) }
    }
    return true
  }
}
