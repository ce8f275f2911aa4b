internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsProjections
internal import AnnalsVerify
internal import LMDB

/// Checks the files of views: pages, checksums of rows, what secondary keys lead to, and whether each has
/// read this log.
struct ViewCheck {
  private let core: LogCore
  private(set) var report: VerifyReport

  init(_ core: LogCore, _ report: VerifyReport) {
    self.core = core
    self.report = report
  }

  /// Checks every file that is ready and durable; opening the view checks the others.
  mutating func run() throws(AnnalsError) {
    guard let directory = try ViewDirectory.open(in: core.generation.directory, .readOnly) else { return }
    for listing in try directory.listings() {
      do throws(AnnalsError) {
        guard let (mark, lease) = try hold(listing.number, directory) else { continue }
        defer { withExtendedLifetime(lease) {} }
        try check(listing.number, mark, directory)
      } catch {
        guard error.isOfSpoiltView else { throw error }
        add(listing.number, error.message)
      }
    }
  }

  /// Keeps others from removing a file.
  ///
  /// - Returns: `nil` if there is none any longer, or none that is checked.
  private func hold(
    _ number: UInt64, _ directory: ViewDirectory
  ) throws(AnnalsError) -> (ViewMark, ViewLease)? {
    // Another file may have taken its place since the names were read.
    let lock = try directory.lock()
    guard let mark = try directory.mark(of: number), mark.isSynced else { return nil }
    let stem = ViewFile.stem(number)
    let lease = try files { () throws(StoreFileError) -> ViewLease? in
      guard try directory.directory.status(of: stem + ".mdb") != nil else { return nil }
      return try ViewLease(ViewFile.lockFile(stem + ".lease", in: directory.directory, .readOnly))
    }
    _ = consume lock
    return lease.map { (mark, $0) }
  }

  private mutating func add(_ number: UInt64, _ problem: String) {
    report.add(
      Finding(
        place: "view file \(ViewFile.stem(number)).mdb", problem: problem, repair: .rebuild))
  }

  private mutating func check(
    _ number: UInt64, _ mark: ViewMark, _ directory: ViewDirectory
  ) throws(AnnalsError) {
    let pages = try files { () throws(StoreFileError) in
      let hold = try ViewFile.lockFile(ViewFile.stem(number) + ".write", in: directory.directory, .readOnly)
        .lock(
          .exclusive)
      let pages = try PageCheck.run(
        ViewFile.stem(number) + ".mdb", in: directory.directory, tables: ViewFile.definitions, ignoring: [],
        only: nil)
      _ = consume hold
      return pages
    }
    for finding in pages.findings { add(number, "page \(finding.page): \(finding.description)") }
    guard pages.isClean else { return }
    let core = core
    let file = try directory.open(number, called: mark.name, of: core)
    let problems = try file.read { (view) throws(AnnalsError) -> [String] in
      let facts = try file.facts(view)
      guard facts.isReady, facts.successor == nil else { return [] }
      var problems = try file.rowProblems(view, facts)
      // Begun after the file was read, because another process may be folding it.
      let snapshot = try LogSnapshot(core)
      if let checkpoint = facts.checkpoint,
        try snapshot.reader.agreement(with: checkpoint, log: core.log) != .agrees
      {
        problems.append(
          "it has read to position \(checkpoint.position) of a log that is not this one any more")
      }
      return problems
    }
    for problem in problems { add(number, problem) }
  }
}

extension ViewFile {
  /// What is wrong with the rows.
  fileprivate func rowProblems(
    _ view: TransactionView, _ facts: ViewFacts
  ) throws(AnnalsError) -> [String] {
    guard let stored = StoredProjection(facts.definition) else {
      return ["what it says of its tables cannot be read"]
    }
    let primary = Set(stored.tables.map(\.space))
    let spaces = stored.tables.reduce(0) { $0 + 1 + $1.keys.count }
    var (spoilt, lost, strange) = (0, 0, 0)
    do throws(EnvironmentError) {
      var cursor = try view.cursor(in: rows)
      while let row = try cursor.next() {
        let space = row.key[0]
        guard Int(space) < spaces else {
          strange += 1
          continue
        }
        let value: Range<Int>
        do throws(FormatFailure) { value = try Row.open(row.value, key: row.key) } catch {
          spoilt += 1
          continue
        }
        if primary.contains(space) { continue }
        let key = row.value.extracting(value)
        let leadsTo = (1...511).contains(key.count) ? try view.value(forKey: key, in: rows) : nil
        if leadsTo == nil { lost += 1 }
      }
    } catch {
      throw AnnalsError(error)
    }
    var problems: [String] = []
    if spoilt > 0 { problems.append("\(spoilt) rows are not what was stored") }
    if lost > 0 { problems.append("\(lost) secondary keys lead to no row") }
    if strange > 0 { problems.append("\(strange) rows stand in no table of the projection") }
    return problems
  }
}
