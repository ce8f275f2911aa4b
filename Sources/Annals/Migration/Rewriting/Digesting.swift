/// Works out what ranges of a generation deliver, on as many threads as it is told.
struct Digesting: Sendable {
  /// The generation that is read.
  let source: RewriteSource
  /// The plan; `nil` where entries are compared as they are stored.
  let reach: PlanReach?
  /// Whether entries that cannot be lifted count as such; otherwise they are errors.
  let isQuarantining: Bool

  /// How many positions are read in one snapshot.
  private static let runEntries: UInt64 = 1_024

  /// What the entries at `positions` deliver.
  ///
  /// - Throws: ``AnnalsError``: what a read of the entries throws; `cancelled`.
  func digest(
    of positions: ClosedRange<UInt64>, threads: Int, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(AnnalsError) -> EventDigest {
    let digester = EntryDigester(reach, log: source.log, isQuarantining: isQuarantining)
    var digest = EventDigest()
    var next = positions.lowerBound
    while true {
      if isCancelled() { throw AnnalsError(.cancelled, "the pass was cancelled") }
      let last = positions.upperBound - next < Self.runEntries ? positions.upperBound : next + Self.runEntries - 1
      try source.read(
        next...last, { (kinds) in digester.enter(kinds) },
        { (entry, reader) throws(AnnalsError) in
          digest.add(try digester.sum(of: entry, reader), at: entry.position)
          return true
        })
      if last == positions.upperBound { return digest }
      next = last + 1
    }
  }
}
