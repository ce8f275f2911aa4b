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
  /// - Parameters:
  ///   - positions: They must all be there.
  ///   - threads: How many, the calling one among them.
  ///   - isCancelled: Asked now and then.
  /// - Throws: ``AnnalsError``: what a read of the entries throws; `cancelled`.
  func digest(
    of positions: ClosedRange<UInt64>, threads: Int, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(AnnalsError) -> EventDigest {
    let pieces = PositionPieces(positions, each: Self.runEntries)
    let work = PassThreads<EventDigest>(pieces: pieces.count) {
      let digester = EntryDigester(reach, log: source.log, isQuarantining: isQuarantining)
      return { (piece, hand) throws(AnnalsError) in
        var digest = EventDigest()
        try source.read(
          pieces[piece], { (kinds) in digester.enter(kinds) },
          { (entry, reader) throws(AnnalsError) in
            digest.add(try digester.sum(of: entry, reader), at: entry.position)
            return true
          })
        _ = try hand(digest)
      }
    }
    var total = EventDigest()
    try work.run(threads: threads, isCancelled: isCancelled) { (digest) in
      total.add(digest)
      return true
    }
    return total
  }
}
