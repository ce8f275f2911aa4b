/// Rewrites ranges of a generation's entries, on as many threads as it is told.
struct Rewriting: Sendable {
  /// The generation that is read.
  let source: RewriteSource
  /// Makes what a thread rewrites entries with.
  let makeRewriter: @Sendable () -> any EntryRewriter
  /// The most entries of a run.
  var runEntries = 1_024
  /// How many bytes end a run; a larger entry stands alone or last in one.
  var runBytes = 1 << 20

  /// Copies entries as they are.
  static func copying(_ source: RewriteSource, _ kinds: GenerationKinds) -> Rewriting {
    Rewriting(source: source) { CopyRewriter(kinds) }
  }

  /// Takes entries through the plan that `kinds` were made for.
  ///
  /// - Parameter isQuarantining: Whether entries that cannot be lifted are set aside; otherwise they stop the pass.
  static func lifting(
    _ source: RewriteSource, _ kinds: GenerationKinds, _ plan: CompiledPlan, isQuarantining: Bool
  ) -> Rewriting {
    let log = source.log
    return Rewriting(source: source) {
      PlanRewriter(kinds, plan, log: log, isQuarantining: isQuarantining)
    }
  }

  /// Fills `run` with the next entries of a range, in a snapshot that ends before this returns.
  ///
  /// - Returns: Where the next run begins; `nil` at the end of the range.
  func fill(
    _ run: inout RewrittenRun, _ positions: ClosedRange<UInt64>, _ rewriter: any EntryRewriter
  ) throws(AnnalsError) -> UInt64? {
    run.begin(at: Position(positions.lowerBound))
    try source.read(
      positions, { (kinds) throws(AnnalsError) in try rewriter.enter(kinds) },
      { (entry, reader) throws(AnnalsError) in
        try rewriter.rewrite(entry, reader, into: &run)
        return run.count < runEntries && run.byteCount < runBytes
      })
    return run.last.rawValue < positions.upperBound ? run.last.rawValue + 1 : nil
  }

  /// Rewrites the entries at `positions` and hands them over in order, on the calling thread.
  ///
  /// Memory is bounded by the threads and the size of a run, whatever the length of the range.
  ///
  /// - Parameters:
  ///   - positions: They must all be there; a missing one is damage.
  ///   - threads: How many, the calling one among them, which takes what the others rewrite; alone it does everything. The others yield to all other work of the
  ///     machine.
  ///   - isCancelled: Asked once for each ``runEntries`` entries.
  ///   - deliver: Takes the next run, and says whether to go on.
  /// - Throws: ``AnnalsError``: the first error in the order of positions, after the runs before it; `cancelled`; what `deliver` throws.
  func run(
    _ positions: ClosedRange<UInt64>, threads: Int, isCancelled: @escaping @Sendable () -> Bool = { false },
    _ deliver: (inout RewrittenRun) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    let pieces = PositionPieces(positions, each: UInt64(runEntries))
    let pool = RunPool()
    let threadsOfPass = PassThreads<RewrittenRun>(pieces: pieces.count) {
      let rewriter = makeRewriter()
      return { (piece, hand) throws(AnnalsError) in
        let range = pieces[piece]
        var next: UInt64? = range.lowerBound
        while let start = next {
          var run = pool.take()
          next = try fill(&run, start...range.upperBound, rewriter)
          guard try hand(consume run) else { return }
        }
      }
    }
    try threadsOfPass.run(threads: threads, isCancelled: isCancelled) { (run) throws(AnnalsError) in
      var run = run
      let goesOn = try deliver(&run)
      pool.give(consume run)
      return goesOn
    }
  }
}
