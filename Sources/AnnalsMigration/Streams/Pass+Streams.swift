internal import AnnalsProjections
internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsStore
internal import AnnalsVerify
internal import LMDB

// What a pass does that moves entries to other streams.
extension Pass {
  /// What gives the next entries their places; `nil` in a pass in which they stay in their streams.
  mutating func relink() throws(AnnalsError) -> StreamRelinking? {
    guard work.move != nil else { return nil }
    if let relinking { return relinking }
    let relinking = try StreamRelinking(
      target.generation(in: directory, heads: log.options.headLimit), from: source,
      log.options.mergeInterval.fitting(memory: log.options.headMemory), hidden: old.hidden)
    self.relinking = relinking
    return relinking
  }

  /// Writes heads into their rows once there are many, so that memory stays flat.
  mutating func mergeMovedHeads(_ durability: Durability) throws(AnnalsError) {
    guard let relinking, relinking.isMergeDue else { return }
    try relinking.mergeHeads(target, durability)
  }

  /// Throws `busy` if the pass moves entries to other streams, and a stream was truncated since it began:
  /// entries that were copied before would be visible again.
  ///
  /// - Complexity: O(streams with a limit).
  func mustHideTheSame() throws(AnnalsError) {
    guard work.move != nil else { return }
    let hidden = try source.read { (reader) throws(AnnalsError) in try HiddenEntries(reader) }
    guard hidden != old.hidden else { return }
    throw AnnalsError(
      .busy,
      """
      a stream was truncated during a migration pass that moves streams; the store is as it was: begin the \
      pass again
      """, underlying: PassOutdated())
  }

  /// Throws unless everything about the new generation is valid: nothing of its streams was copied.
  func verifyMoved() throws(AnnalsError) {
    let report = try target.read { (reader) throws(AnnalsError) in
      try reader.verify(try reader.kinds(), in: target.environment, { (_) in }) {
        (tables, end) throws(AnnalsError) in try tables.checkInline(nil, end)
      }
    }
    guard let first = report.findings.first else { return }
    throw AnnalsError(
      .verifyFailed,
      "the new generation would have \(report.count) findings, the first at \(first.place): \(first.problem); the store is as it was",
      details: AnnalsError.Details { $0.position = first.position })
  }
}

extension PassTarget {
  /// One transaction, which heads in memory follow.
  func write(
    _ durability: Durability, _ relinking: StreamRelinking?,
    _ body: (inout WriteTransaction) throws(AnnalsError) -> Void
  ) throws(AnnalsError) {
    relinking?.begin()
    do throws(AnnalsError) { try write(durability, body) } catch {
      relinking?.rollBack()
      throw error
    }
    relinking?.keep()
  }
}
