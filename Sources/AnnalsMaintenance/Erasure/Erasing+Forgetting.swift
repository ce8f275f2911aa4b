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
      var recorded = try record(older)
      recorded += try log.append(blocking: request([])).positions
      try keys.noteRecorded(older + [drop])
      return recorded
    }
    return ErasureReport(entries: report.entries, recorded: report.recorded, hadKeys: hadKeys)
  }

  /// Does what a killed process has left of its removals of keys.
  func finishForgetting(in keys: any PersonalDataKeys) throws(AnnalsError) {
    _ = try clearing { () throws(AnnalsError) in
      // Another process may have done so meanwhile, or may have removed further keys.
      let drops = try keys.unrecordedDrops()
      let recorded = try record(drops)
      try keys.noteRecorded(drops)
      return recorded
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
    let views = try log.core.withdrawViews(of: nil)
    // Before and after: a load in between may keep a state that it has folded from the values.
    try log.core.removeSnapshots()
    let recorded = try body()
    views?.end()
    try log.core.removeSnapshots()
    for rule in rules { try rule.begin(log, isActivating: false) { () throws(AnnalsError) in } }
    _ = consume passes
    return ErasureReport(entries: 0, recorded: recorded)
  }

  /// Records removals that the log does not have yet.
  ///
  /// - Returns: The positions of the entries that record them.
  private func record(_ drops: [KeyDrop]) throws(AnnalsError) -> [Position] {
    guard !drops.isEmpty else { return [] }
    let changes = try log.read { (snapshot) throws(AnnalsError) in try snapshot.systemEntries() }
    var recorded: [Position] = []
    for drop in drops {
      let isRecorded = changes.contains { change in
        guard case .erased(let positions, _) = change.entry.change, positions.isEmpty else { return false }
        return change.position > drop.position && change.entry.author == drop.author
          && change.reason == drop.reason
      }
      if isRecorded { continue }
      let erasing = try Erasing(log, author: drop.author, reason: drop.reason, rules: rules)
      recorded += try log.append(blocking: erasing.request([])).positions
    }
    return recorded
  }
}
