import CLMDB
import Synchronization

// The journal of small commits (docs/durability.md, "Small commits"). With it, a commit is durable after one
// flush: the flush covers its pages and a record of its changes, and the meta page follows without a flush of
// its own. The next commit's flush makes the meta page durable. After a power cut the file has either the
// meta page, or the one before it and the record, which the next opener repeats.
extension Environment {
  /// The state of a file's journal for an opener.
  public enum JournalState: Sendable {
    /// Nothing is left to do.
    case ready
    /// Another process has the turn at writing, and the last commit is not certain before it has ended.
    case busy
    /// The file lacks a durable commit, whose record only an opener that may write can repeat.
    case unfinished
    /// A whole record has changes that this library does not know.
    case unknownChanges
    /// The file has no journal, or not where its table says.
    case missing
  }

  /// The most rounds of recovery: one to repeat a record, one more if the map was too small for it, and one
  /// to find that nothing is left.
  private static var rounds: Int { 4 }

  /// The place of the journal; `nil` while none is in use.
  var journal: CommitJournal? { CommitJournal(offset: journalOffset.load(ordering: .acquiring)) }

  /// Creates the journal of a new file, durably, and uses it from now on.
  ///
  /// On systems whose flush of a file's data is not ordered with other writes it is not used. The owner must
  /// say in the file that records have a hash, before its first small commit.
  ///
  /// - Parameter definition: A definition from the optional tables with which the environment was opened.
  public func createJournal(_ definition: TableDefinition) throws(EnvironmentError) {
    let table = try create(later: definition, turn())
    try write { (transaction) throws(EnvironmentError) in
      let zeros = [UInt8](repeating: 0, count: CommitJournal.valueSize)
      let key = CommitJournal.key
      try transaction.put(zeros.span, forKey: key.span, in: table)
    }
    recordsCommits = true
    if let journal = try findJournal(in: table) { use(journal) }
  }

  /// Finishes the last commit if a power cut has taken its meta page, and uses the file's journal from now
  /// on.
  ///
  /// Call it before anything else reads the file. The calling thread must have no turn.
  ///
  /// - Parameters:
  ///   - definition: The journal's table.
  ///   - limit: The longest time to wait for another process's turn at writing.
  public func openJournal(
    _ definition: TableDefinition, within limit: Duration
  ) throws(EnvironmentError) -> JournalState {
    guard let table = try open(later: definition), let journal = try findJournal(in: table) else {
      return .missing
    }
    for _ in 0..<Self.rounds {
      guard try hasRecordAhead(journal) else {
        if access == .readWrite { use(journal) }
        return .ready
      }
      // It may be of a commit that another process makes at this moment: only the turn shows.
      if access == .readOnly { return try stateWithoutWriters(journal, within: limit) }
      guard let turn = try turnIfFree(within: limit) else { return .busy }
      // Another process may have made one of them, and a record with its rows.
      for table in options.laterTables { _ = try open(later: table) }
      if let state = try repeatRecord(in: journal, turn) { return state }
    }
    return .busy
  }

  /// Whether small commits are recorded, on systems that do so at all.
  ///
  /// An earlier library takes a record with a hash for a torn one and removes it. So the owner of a file sets
  /// this once the file says that it has such records.
  public var recordsCommits: Bool {
    get { isRecording.load(ordering: .acquiring) }
    set { isRecording.store(newValue, ordering: .releasing) }
  }

  private func use(_ journal: CommitJournal) {
    #if os(Linux)
      journalOffset.store(journal.offset, ordering: .releasing)
    #endif
  }

  private func findJournal(in table: Table) throws(EnvironmentError) -> CommitJournal? {
    let found = try read { (transaction) throws(EnvironmentError) -> CommitJournal? in
      let key = CommitJournal.key
      guard let value = try transaction.value(forKey: key.span, in: table) else { return nil }
      return CommitJournal(of: value)
    }
    guard let found else { return nil }
    return try inside { () throws(EnvironmentError) in
      let (descriptor, last) = (try handle.descriptor(), try gauge().lastPage)
      return try files { () throws(StoreFileError) in
        try found.isSound(in: descriptor, lastPage: last, name) ? found : nil
      }
    }
  }

  /// Whether a slot has a record, whole or not, of a later commit than the last one.
  private func hasRecordAhead(_ journal: CommitJournal) throws(EnvironmentError) -> Bool {
    try inside { () throws(EnvironmentError) in
      let descriptor = try handle.descriptor()
      return try files { () throws(StoreFileError) in
        let state = try newestTransaction()
        for slot in 0..<UInt64(2)
        where try journal.number(inSlotOf: slot, in: descriptor, name) > state { return true }
        return false
      }
    }
  }

  /// Whether the file lacks a commit, while no process has the turn at writing.
  func stateWithoutWriters(
    _ journal: CommitJournal, within limit: Duration
  ) throws(EnvironmentError) -> JournalState {
    // A file system that is mounted read-only has no locks, and no writers.
    guard let locks else { return try isUnfinished(journal) ? .unfinished : .ready }
    let hold = try files { () throws(StoreFileError) in try locks.turn(until: .now + limit) }
    guard let hold else { return .busy }
    let isUnfinished = try isUnfinished(journal)
    _ = consume hold
    return isUnfinished ? .unfinished : .ready
  }

  /// Whether the file lacks a commit whose record is whole. A record that was written to this file in this
  /// run of the system is of a process that was killed before its commit: nobody was answered.
  private func isUnfinished(_ journal: CommitJournal) throws(EnvironmentError) -> Bool {
    try inside { () throws(EnvironmentError) in
      let descriptor = try handle.descriptor()
      return try files { () throws(StoreFileError) in
        guard let found = try record(after: newestTransaction(), journal, descriptor) else { return false }
        return found.header.fileRun != fileRun || !fileRun.contains { $0 != 0 }
      }
    }
  }

  /// The number of the last commit, according to the meta pages alone.
  private func newestTransaction() throws(StoreFileError) -> UInt64 {
    try MetaPages(of: directory.open(name, .read)).newer.transaction
  }

  /// Returns the slot with the record of the commit after a state, if it is whole and was made from that
  /// state.
  private func record(
    after state: UInt64, _ journal: CommitJournal, _ descriptor: Int32
  ) throws(StoreFileError) -> (slot: [UInt8], header: CommitRecord.Header)? {
    let slot = try journal.slot(of: state + 1, in: descriptor, name)
    guard let header = CommitRecord.Header(slot.span), header.transaction == state + 1,
      try header.base == CommitJournal.base(after: state, in: descriptor, name)
    else { return nil }
    return (slot, header)
  }

  /// Repeats the record of the commit that the file lacks, if there is one. Otherwise removes all records of
  /// later commits, because their numbers are used again.
  ///
  /// - Returns: `ready` if nothing is left to do; `nil` to look again.
  private func repeatRecord(
    in journal: CommitJournal, _ turn: consuming Turn
  ) throws(EnvironmentError) -> JournalState? {
    var transaction = try beginWrite(turn, durability: .full)
    let descriptor = try handle.descriptor()
    let state = transaction.id - 1
    let found = try files { () throws(StoreFileError) in try record(after: state, journal, descriptor) }
    guard let found else {
      try files { () throws(StoreFileError) in
        var isErased = false
        for slot in 0..<UInt64(2)
        where try journal.number(inSlotOf: slot, in: descriptor, name) > state {
          try journal.erase(slot, in: descriptor, name)
          isErased = true
        }
        if isErased { try flush(descriptor, name) }
      }
      transaction.abort()
      use(journal)
      return .ready
    }
    let isMade: Bool
    do throws(EnvironmentError) {
      let changes = CommitRecord.changes(found.slot.span, found.header)
      isMade = if let changes { try make(changes, in: &transaction) } else { false }
    } catch  where error.code == LMDBError.mapFull {
      // The next transaction begins with a larger map.
      transaction.abort()
      return nil
    }
    guard isMade else {
      transaction.abort()
      return .unknownChanges
    }
    try transaction.commit()
    return nil
  }

  /// Makes the changes of a record.
  ///
  /// - Returns: Whether all of its tables are known; if not, the transaction cannot be committed.
  private func make(
    _ changes: [CommitRecord.Change], in transaction: inout WriteTransaction
  ) throws(EnvironmentError) -> Bool {
    let tables = tables + laterTables.withLock { $0 }
    for change in changes {
      let (name, key) =
        switch change {
        case .put(let table, let key, _), .delete(let table, let key): (table, key)
        }
      guard let table = tables.first(where: { $0.definition.name == name }),
        !table.definition.integerKeys || key.count == 8
      else { return false }
      let number = table.definition.integerKeys ? key.span.number64(at: 0) : 0
      switch change {
      case .put(_, _, let value) where table.definition.integerKeys:
        try transaction.put(value.span, forKey: number, in: table)
      case .put(_, _, let value): try transaction.put(value.span, forKey: key.span, in: table)
      case .delete where table.definition.integerKeys: try transaction.delete(key: number, in: table)
      case .delete: try transaction.delete(key: key.span, in: table)
      }
    }
    return true
  }
}

extension WriteTransaction {
  /// Prepares the commit: writes the record of a small one to the journal, so that one flush suffices.
  ///
  /// After a failed flush, it first writes the newest meta page again, which may not be on disk: without it
  /// the file would have the meta pages of two commits that are no neighbours.
  /// A slot may have the record of a killed process with the number of this transaction, or a later one.
  /// Where this transaction has no record, that one is removed before it can be taken for this one's.
  ///
  /// - Returns: Whether the record is in the journal.
  mutating func prepareCommit() throws(EnvironmentError) -> Bool {
    let (name, number, fileRun) = (environment.name, id, environment.fileRun)
    let descriptor = try environment.handle.descriptor()
    if environment.flushesTwice.load(ordering: .relaxed) {
      try files { () throws(StoreFileError) in
        try CommitJournal.writeMetaAgain(after: number - 1, in: descriptor, name)
      }
    }
    guard let journal = environment.journal else { return false }
    let record = record.take()
    return try files { () throws(StoreFileError) in
      if let record, record.isComplete, !record.isEmpty {
        let base = try CommitJournal.base(after: number - 1, in: descriptor, name)
        let bytes = record.encoded(transaction: number, base: base, fileRun: fileRun)
        try journal.write(bytes, of: number, to: descriptor, name)
        return true
      }
      if try journal.number(inSlotOf: number, in: descriptor, name) >= number {
        try journal.erase(number, in: descriptor, name)
      }
      return false
    }
  }

}

extension Environment {
  /// Whether the last commit has this number; `false` also if that cannot be found out.
  func isLast(_ number: UInt64) -> Bool {
    do { return try gauge().lastTransaction == number } catch { return false }
  }

  /// Whether the journal has a record of a commit, whole or not; `true` also if that cannot be found out.
  func mayHaveRecord(of number: UInt64) -> Bool {
    guard let journal else { return false }
    do {
      return try journal.number(inSlotOf: number, in: try handle.descriptor(), name) == number
    } catch {
      return true
    }
  }

  /// Removes the record of a commit that has failed, before another transaction gets its number.
  func withdrawRecord(of number: UInt64) throws(EnvironmentError) {
    guard let journal else { return }
    let descriptor = try handle.descriptor()
    try files { () throws(StoreFileError) in
      try journal.erase(number, in: descriptor, name)
      try flush(descriptor, name)
    }
  }
}
