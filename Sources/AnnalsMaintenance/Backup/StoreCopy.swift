internal import AnnalsAttachments
internal import AnnalsFormat
internal import AnnalsProjections
internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsMigration
internal import AnnalsVerify
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Makes a complete store from the generation in use of another one, and gives it its name when all of it has
/// been checked.
///
/// The copy has only that generation, with its number and the id of its log. It is live: it has nothing of a
/// migration pass, and no earlier generation to which a held store could be rolled back.
struct StoreCopy {
  /// Where the copy will be.
  let destination: StorePlace
  /// The directory of the store that is copied.
  let source: Directory
  /// The generation to copy.
  let current: CurrentFile
  /// How many bytes of disk the log takes.
  let size: Int
  /// The epoch of the switch to the generation, if it is known to be in use. A seal of an earlier epoch then
  /// remains from a rollback.
  let arrived: UInt64?
  /// Whether the copy branches off from here, as a restored store does.
  let isBranch: Bool
  /// The row in which the store records the copy, which is none of the copy's own; `nil` if there is none.
  let row: BackupRow?

  /// The maximum number of copies if erasures disturb them.
  private static let attempts = 5
  /// The time to wait for the turn at writing in the copy, which nobody else writes.
  private static let patience = Duration.seconds(10)

  /// Makes a copy, and makes it again if events were erased meanwhile, whose contents a pass then removed.
  ///
  /// - Parameter copy: Copies the state that the store has when it is called.
  static func repeating(_ copy: () throws(AnnalsError) -> CopyReport) throws(AnnalsError) -> CopyReport {
    var missing: String?
    for _ in 0..<attempts {
      do throws(AnnalsError) { return try copy() } catch {
        // A content that the newer state lacks too is lost.
        guard error.code == .missingAttachment, error.message != missing else { throw error }
        missing = error.message
      }
    }
    throw AnnalsError(
      .busy, "contents of erased events are removed faster than the store can be copied; try again")
  }

  /// Makes the copy.
  ///
  /// - Parameters:
  ///   - write: Writes the log into an empty file.
  ///   - progress: Called now and then with the number of entries of the copy that have been checked.
  /// - Throws: ``AnnalsError``; no files remain then.
  func run(
    _ progress: (EventLog.Progress) -> Void,
    writing write: (borrowing File) throws(AnnalsError) -> Void
  ) throws(AnnalsError) -> CopyReport {
    var made: CopyReport?
    try destination.create(room: size + StoreCreation.room) { (directory, open) throws(AnnalsError) in
      try log(in: directory, write)
      made = try checked(in: directory, open, progress)
      try files { () throws(StoreFileError) in
        try directory.replace(CurrentFile.name, with: current.encoded().span)
        try directory.synchronize()
      }
    }
    guard let made else { throw AnnalsError(.busy, "the copy was removed while it was made; try again") }
    return made
  }

  /// Writes the log's file, durably, and checks its pages: what is no sound file must not be opened.
  private func log(
    in directory: Directory, _ write: (borrowing File) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    let file = try files { () throws(StoreFileError) in try directory.create(current.fileName) }
    try write(file)
    try files { () throws(StoreFileError) in try file.synchronize() }
    try StorePages(directory, current).mustBeSound()
  }

  /// Makes the copy a store of its own, and checks every entry and row of it.
  private func checked(
    in directory: Directory, _ open: FileLock, _ progress: (EventLog.Progress) -> Void
  ) throws(AnnalsError) -> CopyReport {
    let (locks, lease) = try files { () throws(StoreFileError) in
      try current.locks(creatingIn: directory, open)
    }
    let environment = try storage { () throws(EnvironmentError) in
      try Environment.open(
        current.fileName, in: directory, tables: StoreTables.definitions, locks: locks,
        options: EnvironmentOptions(generation: .readWrite))
    }
    let tables = StoreTables(environment)
    // The copy of a store that was not opened after a power cut, or that others wrote to, may lack its last
    // commit.
    if environment.later(StoreTables.journal.name) != nil {
      try environment.openJournal(within: Self.patience)
    }
    let incarnation = try settle(environment, tables)
    let (report, attachments) = try environment.read(failure: AnnalsError.init) {
      (transaction) throws(AnnalsError) in
      let reader = StoreReader(transaction.view, tables)
      let inline = environment.later(StoreTables.inline.name)
      let report = try reader.verify(reader.kinds(), in: environment, progress) {
        (tables, end) throws(AnnalsError) in try tables.checkInline(inline, end)
      }
      return (report, report.findings.isEmpty ? try reader.attachments() : [:])
    }
    if let first = report.findings.first {
      throw AnnalsError(
        .damaged,
        "\(first.place): \(first.problem); the store has \(report.count) such findings, and no copy was made: \(first.repair.rawValue)",
        details: AnnalsError.Details {
          $0.position = first.position
          $0.file = current.fileName
        })
    }
    try BlobCopy(from: source, to: directory).run(attachments.keys)
    let status = try files { () throws(StoreFileError) in try directory.status(of: current.fileName) }
    // Everything stays open meanwhile, so that a copy is made only where there are descriptors enough to open
    // it.
    return withExtendedLifetime(lease) {
      CopyReport(
        entries: report.entries, streams: report.streams, bytes: status?.size ?? 0,
        generation: current.generation, incarnation: incarnation)
    }
  }

  /// Writes into `meta` that the copy is live and is alone.
  ///
  /// - Returns: The number of its incarnation.
  private func settle(
    _ environment: Environment, _ tables: StoreTables
  ) throws(AnnalsError) -> UInt64 {
    try environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      var meta = try StoreReader(transaction.view, tables).meta()
      let last = try StoreReader(transaction.view, tables).last()
      try StoreMeta.check(meta.requires, forWriting: true)
      guard meta.log == current.log, meta.generation == current.generation else {
        throw AnnalsError(
          .foreign,
          "'\(current.fileName)' belongs to log \(meta.log), generation \(meta.generation); CURRENT names log \(current.log), generation \(current.generation)",
          details: AnnalsError.Details { $0.file = current.fileName })
      }
      switch meta.state {
      case .live, .appendsSuspended: break
      case .sealed(let seal) where arrived.map { !seal.succeeds(arrived: $0) } ?? false:
        meta.epoch = arrived ?? meta.epoch
      case .building, .sealed:
        throw AnnalsError(
          .busy,
          "generation \(meta.generation) is not the one in use: a switch to another one is under way, or was cut short; open the store once, which finishes it, and try again"
        )
      }
      meta.state = .live
      if isBranch {
        guard meta.incarnation.number < .max else {
          throw AnnalsError(
            .damaged, "table 'meta': the row 'incarnation' has a number that no store reaches",
            details: AnnalsError.Details { $0.table = "meta" })
        }
        meta.incarnation = (meta.incarnation.number + 1, last)
      }
      for name in [StoreMeta.Name.state, .epoch, .incarnation] {
        try transaction.put(meta.value(of: name), name.rawValue, in: tables.meta)
      }
      let foreign = row.map { [$0.name, $0.generationName] } ?? []
      for name in foreign + [
        PassRow.name, PassTallyRow.name, PassFieldsRow.name, PassTagsRow.name, PassHiddenRow.name,
        PassArchiveRow.name, PredecessorRow.name,
      ] {
        do throws(EnvironmentError) {
          _ = try transaction.delete(key: Array(name.utf8).span, in: tables.meta)
        } catch {
          throw AnnalsError(error)
        }
      }
      return meta.incarnation.number
    }
  }
}
