/// What a fold needs to work out where its groups end.
@usableFromInline struct FoldRule<From: VersionedSchema>: Sendable {
  /// The cases that it takes.
  let cases: FoldedCases
  /// Makes what gives the key of an event; `nil` for one that is a group of its own.
  let makeKey: @Sendable () -> (From.Event, Origin) throws -> GroupKey?

  @usableFromInline init(
    _ cases: FoldedCases, _ makeKey: @escaping @Sendable () -> (From.Event, Origin) throws -> GroupKey?
  ) {
    self.cases = cases
    self.makeKey = makeKey
  }

  /// Where the groups of a stage's folds end, in one reading of the whole log.
  static func ends(
    of folds: [FoldRule], in history: StageHistory<From.Event>
  ) throws -> [ContextTable.Row] {
    var gatherings = folds.map { GroupGathering($0) }
    try history.forEach { entry in
      for index in gatherings.indices { try gatherings[index].add(entry, log: history.log) }
    }
    return gatherings.flatMap { $0.finish() }
  }
}
