internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsProjections
internal import AnnalsShapes
internal import AnnalsSubscriptions

extension Erasing {
  /// Drops the keys of a person, and records it as an erasure without positions.
  ///
  /// The key goes first: everything that is folded again after the commit is folded without it. A kill in
  /// between leaves old results, and a note with the keys. The next open finds the note and does the rest.
  func forget(_ subject: String, in keys: any PersonalDataKeys) throws(AnnalsError) -> ErasureReport {
    var hadKeys = false
    let report = try clearing { () throws(AnnalsError) in
      let older = try keys.unrecordedDrops()
      let last = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.last() }
      let drop = KeyDrop(author: author, reason: reason, after: Position(last))
      hadKeys = try keys.drop(subject, recording: drop)
      let recorded = try afterDrop("but the log does not record it yet") { () throws(AnnalsError) in
        try record(older) + [append(drop)]
      }
      try afterDrop(Self.isRecorded) { () throws(AnnalsError) in
        try keys.noteRecorded(older + [drop], newest: recorded[older.count])
      }
      return recorded.map(\.position)
    }
    return ErasureReport(entries: report.entries, recorded: report.recorded, hadKeys: hadKeys)
  }

  /// Does what a killed process has left of its removals of keys.
  func finishForgetting(in keys: any PersonalDataKeys) throws(AnnalsError) {
    _ = try clearing { () throws(AnnalsError) in
      // Another process may have done so meanwhile, or may have removed further keys.
      var drops = try keys.unrecordedDrops()
      if let newest = try log.lackedDrop(of: keys) { drops.append(newest) }
      let recorded = try record(drops)
      if let newest = recorded.last { try keys.noteRecorded(drops, newest: newest) }
      return recorded.map(\.position)
    }
  }

  /// Clears everything that was worked out from personal values, around a removal of keys.
  ///
  /// - Parameter body: Removes keys, and returns the positions of the entries that record it.
  private func clearing(
    _ body: () throws(AnnalsError) -> [Position]
  ) throws(AnnalsError) -> ErasureReport {
    let passes = try log.keepPassesOut()
    try mustBeAllowed()
    try mustTakeRecords()
    let views = try log.core.withdrawViews(of: nil)
    // Before and after: a load in between may keep a state that it has folded from the values.
    try log.core.removeSnapshots()
    let recorded = try body()
    views?.end()
    try afterDrop(Self.isRecorded) { () throws(AnnalsError) in try log.core.removeSnapshots() }
    try foldAgain(after: "the keys are dropped, and the log records it", repeating: "forget again")
    _ = consume passes
    return ErasureReport(entries: 0, recorded: recorded)
  }

  /// Throws before anything is changed if the log takes no record of a removal until a switch is settled.
  private func mustTakeRecords() throws(AnnalsError) {
    let state = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.state() }
    guard state == .appendsSuspended else { return }
    throw AnnalsError(
      .appendsSuspended,
      "no key was dropped now: the store takes no changes until the last migration is accepted or rolled back"
    )
  }

  private static let isRecorded = "and the log records it, but results may remain"

  /// Calls `body` once keys are dropped. Its error must not read as if they were there.
  private func afterDrop<Result>(
    _ state: String, _ body: () throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    do throws(AnnalsError) { return try body() } catch {
      throw AnnalsError(
        error.code,
        "the keys are dropped, \(state); forget again, or open the store again, once the cause has passed (\(error.message))",
        details: error.details, underlying: error)
    }
  }

  /// Records removals that the log does not have yet.
  ///
  /// - Returns: The removals, with the positions of the entries that record them.
  private func record(_ drops: [KeyDrop]) throws(AnnalsError) -> [KeyDrop] {
    guard !drops.isEmpty else { return [] }
    let changes = try log.read { (snapshot) throws(AnnalsError) in try snapshot.systemEntries() }
    var recorded: [KeyDrop] = []
    for var drop in drops {
      if let change = changes.first(where: { $0.position > drop.position && $0.records(drop) }) {
        (drop.position, drop.time) = (change.position, change.time)
      } else {
        let erasing = try Erasing(log, author: drop.author, reason: drop.reason, rules: rules)
        drop = try erasing.append(drop)
      }
      recorded.append(drop)
    }
    return recorded
  }

  /// Records the removal that this call is for, and returns it with the position of the entry.
  private func append(_ drop: KeyDrop) throws(AnnalsError) -> KeyDrop {
    var drop = drop
    for position in try log.append(blocking: request([])).positions {
      let change = try log.read { (snapshot) throws(AnnalsError) in try snapshot.systemEntry(at: position) }
      (drop.position, drop.time) = (position, change?.time)
    }
    return drop
  }
}

extension EventLog {
  /// Returns the newest recorded removal of keys, as one to record, if this log lacks the record.
  ///
  /// A restored backup lacks it if the keys are newer: rows and views may have values that nobody decrypts
  /// any more. A member of a cluster gets the record from the others.
  func lackedDrop(of keys: any PersonalDataKeys) throws(AnnalsError) -> KeyDrop? {
    guard options.sequencer == nil, let newest = try keys.newestRecordedDrop() else { return nil }
    return try read { (snapshot) throws(AnnalsError) in
      let last = Position(try snapshot.reader.last())
      if newest.position <= last, let change = try snapshot.systemEntry(at: newest.position),
        change.records(newest), newest.time == nil || newest.time == change.time
      {
        return nil
      }
      return KeyDrop(author: newest.author, reason: newest.reason, after: last)
    }
  }
}

extension RecordedChange {
  /// Whether it is a record of this removal of keys, regardless of the position.
  fileprivate func records(_ drop: KeyDrop) -> Bool {
    guard case .erased(let positions, _) = entry.change, positions.isEmpty else { return false }
    return entry.author == drop.author && reason == drop.reason
  }
}
