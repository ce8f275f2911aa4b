/// A check of every reachable page of an LMDB file, which never uses liblmdb.
///
/// liblmdb trusts its file: a damaged one can crash the process or return wrong values. This check reads with
/// `pread`, bounds every number before it is used, and needs two bits of memory for each page of the file.
///
/// No reachable page may be written meanwhile. Either the caller has a snapshot of the file in LMDB, or it
/// checks with ``newestTransaction(of:)`` that at most one commit happened, or no other process can reach the
/// file.
public struct PageCheck: Sendable {
  /// One contradiction in a file.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The number of the page, counted from 0.
    public let page: UInt64
    /// The offset in the file, in bytes.
    public let offset: UInt64
    /// The table whose tree led to the page; `main` or `free` for LMDB's own.
    public let table: String
    /// The problem.
    public let what: String

    /// The place and the problem.
    public var description: String { "table \(table), page \(page), byte \(offset): \(what)" }
  }

  /// The use of the pages of a file.
  public struct Pages: Hashable, Sendable {
    /// All whole pages of the file.
    public var total = 0
    /// Inner pages of trees.
    public var branch = 0
    /// Pages with keys and small values.
    public var leaf = 0
    /// Pages of large values.
    public var overflow = 0
    /// Pages that later commits may reuse.
    public var free = 0
    /// Pages that are neither used nor free. They are lost until the file is copied, but harmless.
    public var unaccounted = 0
  }

  /// The result of a check.
  public struct Report: Sendable {
    /// The first findings, in the order of the walk.
    public internal(set) var findings: [Finding] = []
    /// The total number of findings.
    public internal(set) var findingCount = 0
    /// The use of the pages, as far as they were reachable.
    public internal(set) var pages = Pages()
    /// The sizes of the tables by name, according to their pages.
    public internal(set) var tables: [String: TableStatistics] = [:]
    /// The commit of the file's newer meta page.
    public internal(set) var transaction: UInt64 = 0

    /// Whether there are no findings.
    public var isClean: Bool { findingCount == 0 }
  }

  /// The name of the list of free pages among those of tables.
  public static var freeList: String { PageWalk.freeList }

  /// Checks a file.
  ///
  /// - Parameters:
  ///   - name: The data file.
  ///   - directory: The directory of the file.
  ///   - tables: All tables that the file must have. Other tables are a finding, except the following.
  ///   - later: Optional tables, which are checked if they exist.
  ///   - ignoring: The names of optional tables that are not checked.
  ///   - only: The names of the tables whose trees are checked, for a process that uses no others, with
  ///     ``freeList`` if it writes; `nil` for all of them and the list.
  ///   - after: By name, the key after which the check of a table with integer keys begins.
  ///   - maximumFindings: The most findings to keep; all are counted.
  /// - Throws: The error of opening a file whose meta pages are invalid, and errors of reading.
  /// - Complexity: O(size of the file), or of the trees that are checked.
  public static func run(
    _ name: String, in directory: Directory, tables: [TableDefinition],
    later: [TableDefinition] = [], ignoring: [String] = [], only: [String]? = nil,
    after: [String: UInt64] = [:], maximumFindings: Int = 100
  ) throws(StoreFileError) -> Report {
    var walk = try PageWalk(
      file: directory.open(name, .read), tables: tables, later: later, ignoring: ignoring, only: only,
      after: after, maximumFindings: maximumFindings)
    try walk.run()
    return walk.report
  }

  /// Checks a file to which others may write. They only wait if they have disturbed the check repeatedly.
  ///
  /// - Parameter lock: The lock that writers of the file hold; `nil` if there can be none.
  /// - Throws: As ``run(_:in:tables:later:ignoring:only:after:maximumFindings:)``.
  public static func run(
    _ name: String, in directory: Directory, tables: [TableDefinition], later: [TableDefinition] = [],
    only: [String]? = nil, writers lock: FileLock?
  ) throws(StoreFileError) -> Report {
    for _ in 0..<3 {
      let report = try run(name, in: directory, tables: tables, later: later, only: only)
      if try isUndisturbed(name, in: directory, since: report.transaction) { return report }
    }
    let hold = try lock?.lock(.exclusive)
    let report = try run(name, in: directory, tables: tables, later: later, only: only)
    _ = consume hold
    return report
  }

  /// Returns whether no page of a commit can have been reused yet: pages freed by one commit are reused by
  /// the next but one at the earliest.
  static func isUndisturbed(
    _ name: String, in directory: Directory, since transaction: UInt64
  ) throws(StoreFileError) -> Bool {
    try newestTransaction(of: directory.open(name, .read)) <= transaction + 1
  }

  /// Checks whether a file that ends before its last page is complete, because all missing pages are in the
  /// list of free pages.
  ///
  /// - Returns: The result, with the commit whose list was read.
  /// - Complexity: O(free pages).
  public static func isWhole(
    _ name: String, in directory: Directory, tables: [TableDefinition]
  ) throws(StoreFileError) -> (isWhole: Bool, transaction: UInt64) {
    var walk = try PageWalk(
      file: directory.open(name, .read), tables: tables, later: [], ignoring: [], only: [], after: [:],
      maximumFindings: 1)
    return (try walk.runFree(), walk.metas.newer.transaction)
  }

  /// Returns the newest commit of a file. The difference between two calls is the number of commits between
  /// them.
  ///
  /// Pages freed by a commit are reused by the next but one at the earliest.
  ///
  /// - Throws: As ``run(_:in:tables:later:ignoring:only:after:maximumFindings:)``.
  public static func newestTransaction(of file: borrowing File) throws(StoreFileError) -> UInt64 {
    try MetaPages(of: file).newer.transaction
  }
}
