/// A check of every page of an LMDB file that can be reached, which never uses liblmdb.
///
/// liblmdb trusts its file: a damaged one ends the process or gives wrong values. This check reads by `pread`, bounds every number
/// before using it, and needs two bits of memory for each page of the file.
///
/// No page that is reached may be written meanwhile. The caller has a snapshot of the file in LMDB, or finds by
/// ``newestTransaction(of:)`` that at most one commit came between, or nobody else can reach the file.
public struct PageCheck: Sendable {
  /// One contradiction in a file.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The page, counted from 0.
    public let page: UInt64
    /// The byte in the file.
    public let offset: UInt64
    /// The table whose tree led there, `main` or `free` for LMDB's own.
    public let table: String
    /// What is wrong.
    public let what: String

    /// The place and what is wrong there.
    public var description: String { "table \(table), page \(page), byte \(offset): \(what)" }
  }

  /// How the pages of a file are used.
  public struct Pages: Hashable, Sendable {
    /// All whole pages of the file.
    public var total = 0
    /// Inner pages of trees.
    public var branch = 0
    /// Pages with keys and small values.
    public var leaf = 0
    /// Pages of large values.
    public var overflow = 0
    /// Pages that later commits may use.
    public var free = 0
    /// Pages that are neither used nor free: lost until the file is copied, but harmless.
    public var unaccounted = 0
  }

  /// What a check found.
  public struct Report: Sendable {
    /// The first findings, in the order of the walk.
    public internal(set) var findings: [Finding] = []
    /// How many there are in all.
    public internal(set) var findingCount = 0
    /// How the pages are used, as far as they could be reached.
    public internal(set) var pages = Pages()
    /// The sizes of the tables by name, as their pages are.
    public internal(set) var tables: [String: TableStatistics] = [:]
    /// The commit that the file's newer meta page belongs to.
    public internal(set) var transaction: UInt64 = 0

    /// Whether nothing is wrong.
    public var isClean: Bool { findingCount == 0 }
  }

  /// Checks a file.
  ///
  /// - Parameters:
  ///   - name: The data file.
  ///   - directory: Where it is.
  ///   - tables: All tables that the file may and must have.
  ///   - later: Tables that it may have, and are looked at.
  ///   - ignoring: The names of tables that it may also have, which are not looked at.
  ///   - only: The names of the tables whose trees are walked, for a reader that will use no others; `nil` for all of them and
  ///     the free list.
  ///   - after: After which key the walk of a table with integer keys begins, by its name.
  ///   - maximumFindings: How many findings are kept; all are counted.
  /// - Throws: The error that opening would throw for a file whose meta pages cannot be used, and errors of reading.
  /// - Complexity: O(size of the file), or of the trees that are walked.
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

  /// Whether a file that ends before its last page lacks nothing, because the list of free pages has all that are missing.
  ///
  /// - Returns: With the commit whose list was read.
  /// - Complexity: O(free pages).
  public static func isWhole(
    _ name: String, in directory: Directory, tables: [TableDefinition]
  ) throws(StoreFileError) -> (isWhole: Bool, transaction: UInt64) {
    var walk = try PageWalk(
      file: directory.open(name, .read), tables: tables, later: [], ignoring: [], only: [], after: [:],
      maximumFindings: 1)
    return (try walk.runFree(), walk.metas.newer.transaction)
  }

  /// The newest commit of a file; those that come between two calls are counted by the difference.
  ///
  /// The pages that a commit frees are used again by the next but one at the earliest.
  ///
  /// - Throws: As ``run(_:in:tables:later:ignoring:only:after:maximumFindings:)``.
  public static func newestTransaction(of file: borrowing File) throws(StoreFileError) -> UInt64 {
    try MetaPages(of: file).newer.transaction
  }
}
