internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import LMDB

// Copying.
extension Pass {
  /// The size in bytes of the entries at which a commit ends: LMDB keeps uncommitted pages in memory.
  private static let batchBytes = 16 << 20

  /// The number of entries, in thousands, that may be rewritten while a durable commit waits for the disk.
  private static let ahead = 24

  /// Copies the entries at `range`, with a commit for each batch.
  mutating func copy(_ range: ClosedRange<UInt64>) throws(AnnalsError) {
    let phase: MigrationProgress.Phase = machine.hasHeads ? .following : .copying
    var next = range.lowerBound
    show(phase, next - 1, of: range.upperBound)
    while next <= range.upperBound {
      try choose()
      let rest = next...range.upperBound
      if safety == .synced {
        next = try copyDurably(rest, phase) + 1
      } else {
        // Threads of one batch: they are to rest with the pass, and to rewrite nothing that it does not take.
        let most = max(min(UInt64(clamping: options.batch), pace.piece), 1)
        let part = next...min(next + (most - 1), range.upperBound)
        var line = try line(part, threads: threads(for: rest))
        next = try batch(next, &line, phase, total: range.upperBound) + 1
      }
    }
    point(.copied)
  }

  /// Copies entries with durable commits, until a writer is at work.
  ///
  /// - Returns: The position of the last one.
  private mutating func copyDurably(
    _ range: ClosedRange<UInt64>, _ phase: MigrationProgress.Phase
  ) throws(AnnalsError) -> UInt64 {
    var line = try line(range, length: Self.ahead)
    var end = range.lowerBound - 1
    repeat {
      end = try batch(end + 1, &line, phase, total: range.upperBound)
      try choose()
    } while end < range.upperBound && safety == .synced
    return end
  }

  /// Copies the entries of one commit.
  ///
  /// - Returns: The position of the last one.
  private mutating func batch(
    _ start: UInt64, _ line: inout RewritingLine, _ phase: MigrationProgress.Phase, total: UInt64
  ) throws(AnnalsError) -> UInt64 {
    let begin = now
    let threads = threads(for: start...total)
    let isDurable = safety == .synced
    let end = try put(
      start, &line, isDurable ? .full : .none,
      entries: isDurable
        ? min(UInt64(clamping: options.durableBatch), pace.batch)
        : min(UInt64(clamping: options.batch), pace.piece),
      bytes: Self.batchBytes)
    point(.batchCommitted)
    try mergeMovedHeads(isDurable ? .full : .none)
    if !isDurable { try target.startWriteback() }
    machine.copy(upTo: end)
    show(phase, end, of: total)
    let time = begin.duration(to: now)
    pace.note(end - start + 1, time, threads: threads)
    try rest(after: end - start + 1, time, phase, end, of: total)
    return end
  }

  /// Puts entries into the new generation, in one transaction.
  ///
  /// - Returns: The position of the last one.
  mutating func put(
    _ range: ClosedRange<UInt64>, _ durability: Durability, entries: UInt64, bytes: Int
  ) throws(AnnalsError) -> UInt64 {
    var line = try line(range)
    return try put(range.lowerBound, &line, durability, entries: entries, bytes: bytes)
  }

  /// Begins to rewrite the entries at `range`.
  private func line(
    _ range: ClosedRange<UInt64>, threads: Int? = nil, length: Int? = nil
  ) throws(AnnalsError) -> RewritingLine {
    // All entries of the range are there, and the requirement came with the first one that has tags.
    try followTags()
    var rewriting = work.rewriting(
      old, kinds, isSettingAside: isSettingAside, failing, isArchiving: archive != nil)
    if isShared { rewriting = rewriting.keepingOriginals(kinds) }
    rewriting.runEntries = Int(
      clamping: min(UInt64(min(rewriting.runEntries, options.batch, options.durableBatch)), pace.batch))
    let threads = threads ?? self.threads(for: range)
    // Each thread is to get some of a short range.
    if threads > 1 { rewriting.runEntries = min(rewriting.runEntries, max(range.count / threads / 2, 64)) }
    return try rewriting.line(range, threads: threads, length: length)
  }

  /// Puts the next entries of a line, which begins at `start`, into the new generation, in one transaction.
  ///
  /// - Returns: The position of the last one.
  private mutating func put(
    _ start: UInt64, _ line: inout RewritingLine, _ durability: Durability, entries: UInt64, bytes: Int
  ) throws(AnnalsError) -> UInt64 {
    var end = start - 1
    var size = 0
    var (tally, delivered) = (tally, EventDigest())
    let (target, row, work, limitsCopied) = (target, row, work, limitsCopied)
    let writer = GenerationWriter(
      tables: target.tables, kinds: kinds, isIndexed: isIndexed, nameless: nameless)
    let relinking = try relink()
    let folding = InlinePass(room: inline, tables: target.tables)
    archive?.begin()
    try target.write(durability, relinking) { (transaction) throws(AnnalsError) in
      while let run = try line.next() {
        if let relinking {
          try relinking.relink(run, in: &transaction)
          try writer.put(relinking.run, in: &transaction)
        } else {
          try writer.put(run, in: &transaction)
          for index in run.systemEntries where run.position(of: index).rawValue > limitsCopied {
            try writer.apply(run.entry(index), at: run.position(of: index), in: &transaction)
          }
        }
        end = run.last.rawValue
        size += run.byteCount
        tally.add(run)
        if work.move == nil { delivered.add(run.delivered.whole) }
        try archive?.append(run.archive.bytes.span)
        line.take(back: run)
        guard end - start + 1 < entries, size < bytes, control.wish == .go else { break }
      }
      try folding.run(upTo: end, in: &transaction)
      // The commit must not count bytes of the archive that may not be on disk.
      if durability == .full { try archive?.synchronize() }
      point(.batch)
      var row = row
      row.other = source.current.generation
      row.position = end
      try transaction.put(row.encoded(), PassRow.name, in: target.tables.meta)
      try tally.put(in: &transaction, target.tables)
      if let archive {
        try transaction.put(archive.next.encoded(), PassArchiveRow.name, in: target.tables.meta)
      }
    }
    archive?.commit()
    self.tally = tally
    self.delivered.add(delivered)
    return end
  }

  var isSettingAside: Bool {
    if case .quarantine = options.unreadable { true } else { false }
  }

  /// Returns the number of threads for a range: a few entries are done sooner than a thread starts.
  func threads(for range: ClosedRange<UInt64>) -> Int {
    if range.upperBound - range.lowerBound < 2_047 { return 1 }
    let most = options.threads ?? min(Processors.count, 8)
    return min(pace.threads ?? most, most)
  }
}
