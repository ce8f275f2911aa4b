internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore

/// Rewrites ranges of a generation's entries, on a given number of threads.
struct Rewriting: Sendable {
  /// The generation that is read.
  let source: RewriteSource
  /// Makes what a thread rewrites entries with.
  private(set) var makeRewriter: @Sendable () -> any EntryRewriter
  /// The maximum number of entries of a run.
  var runEntries = 1_024
  /// The number of bytes that end a run; a larger entry is alone or last in one.
  var runBytes = 1 << 20

  /// Copies entries as they are.
  static func copying(_ source: RewriteSource, _ kinds: GenerationKinds) -> Rewriting {
    Rewriting(source: source) { CopyRewriter(kinds, source) }
  }

  /// Takes entries through the plan that `kinds` were made for.
  ///
  /// - Parameters:
  ///   - failing: The groups that cannot be folded.
  ///   - isQuarantining: Whether entries that cannot be upcast are quarantined; otherwise they stop the pass.
  ///   - losing: What may be lost, and whether it is archived.
  ///   - renewing: Encrypts values of personal fields that have older keys again; `nil` if they stay.
  ///   - retagging: The rules that compute tags again; `nil` for none.
  static func upcasting(
    _ source: RewriteSource, _ kinds: GenerationKinds, _ plan: CompiledPlan, _ failing: FailingGroups,
    isQuarantining: Bool, losing: LossRules = LossRules(), renewing: (any PersonalDataCipher)? = nil,
    retagging: PassRetagging? = nil
  ) -> Rewriting {
    let reach = PlanResolver(plan)
    return Rewriting(source: source) {
      PlanRewriter(
        kinds, source, reach, failing, isQuarantining: isQuarantining, losing: losing, renewing: renewing,
        retagging: retagging)
    }
  }

  /// Takes entries through the plan that `kinds` were made for, and finds out which streams they go to.
  static func moving(
    _ source: RewriteSource, _ kinds: GenerationKinds, _ plan: CompiledPlan, _ move: StreamMove,
    _ failing: FailingGroups, isQuarantining: Bool, losing: LossRules = LossRules(),
    renewing: (any PersonalDataCipher)? = nil, retagging: PassRetagging? = nil
  ) -> Rewriting {
    let reach = PlanResolver(plan)
    return Rewriting(source: source) {
      RoutingRewriter(
        PlanRewriter(
          kinds, source, reach, failing, isQuarantining: isQuarantining, isMoving: true, losing: losing,
          renewing: renewing, retagging: retagging),
        move,
        move.router(of: source, isSettingAside: isQuarantining))
    }
  }

  /// Returns the same rewriting, which keeps what the conditions of a cluster compare.
  func keepingOriginals(_ kinds: GenerationKinds) -> Rewriting {
    var keeping = self
    keeping.makeRewriter = { [makeRewriter] in OriginalsRewriter(makeRewriter(), kinds) }
    return keeping
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
      expecting: { rewriter.expect($0) },
      { (entry, reader) throws(AnnalsError) in
        try rewriter.rewrite(entry, reader, into: &run)
        return run.count < runEntries && run.byteCount + run.archive.bytes.count < runBytes
      })
    return run.last.rawValue < positions.upperBound ? run.last.rawValue + 1 : nil
  }

  /// Begins to rewrite the entries at `positions`.
  ///
  /// Memory is bounded by the length of the line and the size of a run, regardless of the length of the
  /// range.
  ///
  /// - Parameters:
  ///   - positions: They must all be there; a missing one is damage.
  ///   - threads: On how many threads, alongside the one that takes; with 1 that one does everything.
  ///   - length: How many times ``runEntries`` entries are under way at most.
  ///   - isCancelled: Asked once for each ``runEntries`` entries.
  func line(
    _ positions: ClosedRange<UInt64>, threads: Int, length: Int? = nil,
    isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(AnnalsError) -> RewritingLine {
    let pool = RunPool()
    return RewritingLine(
      try PassLine(
        PositionPieces(positions, each: UInt64(runEntries)), threads: threads, length: length ?? 2 * threads,
        isCancelled: isCancelled
      ) {
        let rewriter = makeRewriter()
        return { (range) throws(AnnalsError) in
          var run = pool.take()
          let rest = try fill(&run, range, rewriter)
          return (run, rest)
        }
      }, pool)
  }

  /// Rewrites the entries at `positions` and hands them over in order, on the calling thread.
  ///
  /// - Parameters:
  ///   - positions: They must all be there; a missing one is damage.
  ///   - threads: As with a line.
  ///   - isCancelled: As with a line.
  ///   - deliver: Takes the next run, and says whether to continue.
  /// - Throws: ``AnnalsError``: the first error in the order of positions, after the runs before it;
  ///   `cancelled`; what `deliver` throws.
  func run(
    _ positions: ClosedRange<UInt64>, threads: Int, isCancelled: @escaping @Sendable () -> Bool = { false },
    _ deliver: (inout RewrittenRun) throws(AnnalsError) -> Bool
  ) throws(AnnalsError) {
    var line = try line(positions, threads: threads, isCancelled: isCancelled)
    while var run = try line.next() {
      guard try deliver(&run) else { return }
      line.take(back: run)
    }
  }
}
