internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

// What the writer knows of the generation in use.
extension WriterLoop {
  /// Makes sure that the log takes appends, and that the heads in memory know all of it.
  ///
  /// - Returns: The position of the newest entry; `nil` if the generation has been succeeded by another.
  mutating func catchUp(
    _ transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> UInt64? {
    // No other process has committed since the last look, so nothing has changed.
    if let knownCommit, transaction.id == knownCommit + 1 { return generation.heads.withTable { $0.last } }
    let reader = StoreReader(transaction.view, generation.tables)
    var meta = generation.meta
    try reader.read(.state, into: &meta)
    switch meta.state {
    case .live: break
    case .appendsSuspended:
      throw AnnalsError(
        .appendsSuspended, "the store refuses appends until the last migration is accepted or rolled back")
    case .sealed(let seal) where seal.succeeds(arrived: generation.arrived): return nil
    case .building, .sealed:
      throw AnnalsError(
        .damaged,
        "table 'meta': the row 'state' is not one that a generation in use gets; restore the store from a backup",
        details: AnnalsError.Details { $0.table = "meta" })
    }
    for name in [StoreMeta.Name.schemaEpoch, .requires, .window] { try reader.read(name, into: &meta) }
    try StoreMeta.check(meta.requires, forWriting: true)
    idempotency = meta.idempotency
    isShared = meta.requires.contains(.cluster)
    tags = TagHeads()
    times = nil
    rules = meta.requires.contains(.inline) ? try reader.ruleRows() : []
    let end = try reader.end()
    try generation.heads.follow(end, reader)
    guard generation.heads.withTable({ $0.last }) == end.last else {
      throw AnnalsError(
        .storeReplaced, "the log ends before what this process has seen of it; open the store again")
    }
    // A merge of this process does not count, nor one that leads beyond the log.
    otherMerge = nil
    if let row = try reader.merge(), row.position != merge.position, row.position <= end.last {
      otherMerge = row
    }
    _ = try generation.kinds(in: reader, isCommitted: false)
    knownCommit = transaction.id - 1
    return end.last
  }

  /// Continues in the generation that succeeds this one. The turn has ended.
  mutating func move() throws(AnnalsError) {
    merge.join()
    generation = try place.successor(of: generation)
    merge = HeadMerge(generation, interval)
    knownCommit = nil
    tags = TagHeads()
    times = nil
    otherMerge = nil
  }

  /// Whether a group needs the table of tags.
  func needsTags(for calls: [GroupCall]) -> Bool {
    generation.kinds.hasTags || calls.contains { !$0.request.tags.isEmpty }
  }

  /// Opens the table of tags, or makes it before the first event with tags. The turn has ended, because a
  /// table can only be used by a later transaction.
  func openTags() throws(AnnalsError) {
    try generation.environment.openTags()
    if generation.environment.tags != nil { return }
    guard !generation.kinds.hasTags else { throw AnnalsError.missingTags }
    let turn = try turn()
    do throws(EnvironmentError) {
      _ = try generation.environment.create(later: StoreTables.tags, turn)
    } catch {
      throw AnnalsError(error)
    }
  }
}
