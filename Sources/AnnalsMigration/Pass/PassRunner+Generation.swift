internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsProjections
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

// The generation that a pass builds: its number, its name in the one in use, and its file.
extension PassRunner {
  /// Gives the new generation a number, and names it in the old one, so that leftovers of it are known for
  /// what it is.
  func name(_ source: Generation) throws(AnnalsError) -> PassRow {
    var result: PassRow?
    // A generation that was rolled back from had a number that the one in use need not know.
    let names = try files { () throws(StoreFileError) in try source.directory.names() }
    let taken = names.compactMap { GenerationFiles.number(ofFile: $0) }.max() ?? 0
    try source.environment.write(within: log.options.lockTimeout) { (transaction) throws(AnnalsError) in
      let newest = max(try newest(in: transaction, source), taken)
      guard newest < CurrentFile.maximumGeneration else {
        throw AnnalsError(
          .tooLarge, "the log has used up its numbers for generations: back it up by dump and import")
      }
      let row = PassRow(id: UUID.random(), other: newest + 1, plan: archive.mark, version: work.version)
      if let noted = archive.row(of: row.id) {
        try transaction.put(noted.encoded(), PassArchiveRow.name, in: source.tables.meta)
      } else {
        try transaction.remove(PassArchiveRow.name, in: source.tables.meta)
      }
      try transaction.put(row.encoded(), PassRow.name, in: source.tables.meta)
      try transaction.put(NewestRow(generation: newest + 1).encoded(), NewestRow.name, in: source.tables.meta)
      result = row
    }
    guard let result else { throw AnnalsError(.inputOutput, "the pass got no name") }
    return result
  }

  /// The highest number that a generation has ever had, if the one in use takes a pass.
  private func newest(
    in transaction: borrowing WriteTransaction, _ source: Generation
  ) throws(AnnalsError) -> UInt64 {
    let reader = StoreReader(transaction.view, source.tables)
    let state = try reader.state()
    guard state == .live else {
      throw AnnalsError(
        state == .appendsSuspended ? .appendsSuspended : .storeReplaced,
        "the store takes no migration pass now: accept the last one or roll it back")
    }
    return try reader.newestGeneration()
  }

  func create(
    _ current: CurrentFile, _ source: Generation, _ building: EnvironmentLocks, _ row: PassRow
  ) throws(AnnalsError) -> PassTarget {
    let directory = source.directory
    let (meta, facts) = try source.read { (reader) throws(AnnalsError) in
      // How far they are folded is not taken over: nothing is, in the new generation.
      let inline = try reader.ruleRows().filter(\.isInForce)
      return (
        try reader.meta(), try reader.frozenFacts() + inline.map { ($0.rowName, $0.encoded()) }
      )
    }
    var new = meta
    new.generation = current.generation
    new.state = .building(pass: row.id)
    new.checkpoint = 0
    // Entries that had no tags may get some.
    if work.retagging != nil, !new.requires.contains(.tags) { new.requires.append(.tags) }
    var own = row
    own.other = source.current.generation
    var rows = facts + work.facts
    if let noted = archive.row(of: row.id) { rows.append((PassArchiveRow.name, noted.encoded())) }
    return try PassTarget.create(
      current, in: directory, building, new, own, rows, newest: current.generation,
      boot: options.boot()
    ) { options.atPoint?(.tables) }
  }

  /// The row of the unfinished pass as the generation has it that is copied.
  func unfinishedRow(in source: Generation) throws(AnnalsError) -> PassRow {
    guard let row = try source.read({ (reader) throws(AnnalsError) in try reader.pass() }) else {
      throw AnnalsError(.storeReplaced, "the unfinished pass is gone; start again")
    }
    return row
  }
}
