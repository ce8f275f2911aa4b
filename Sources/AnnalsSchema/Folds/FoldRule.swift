internal import AnnalsCoding

/// The part of a fold that finds where its groups end.
@usableFromInline struct FoldRule<From: VersionedSchema>: Sendable {
  /// The cases that the fold takes.
  let cases: FoldedCases
  /// Makes the closure that returns the key of an event; `nil` for an event that is a group by itself.
  let makeKey: @Sendable () -> (From.Event, Origin) throws -> GroupKey?

  @usableFromInline init(
    _ cases: FoldedCases, _ makeKey: @escaping @Sendable () -> (From.Event, Origin) throws -> GroupKey?
  ) {
    self.cases = cases
    self.makeKey = makeKey
  }

  /// Returns where the groups of a stage's folds end, in one read of the records that the folds take.
  ///
  /// An entry that is skipped because it cannot be read ends the groups before it in its stream. Each event
  /// that it may become is a group by itself.
  static func ends(
    of folds: [FoldRule], in history: StageHistory<From.Event>
  ) throws -> GroupRows {
    let gatherings = folds.map { GroupGathering($0) }
    // Most stages have one fold.
    let only = gatherings.count == 1 ? gatherings[0] : nil
    var groups = GroupRows()
    let cases = folds.reduce(into: Set<Int>()) { $0.formUnion($1.cases.indices) }
    try history.items(of: cases) { item in
      switch item {
      case .entry(let entry):
        func add(to gathering: GroupGathering<From>) throws {
          do { try gathering.add(entry, log: history.log) } catch let error as AnnalsError {
            guard let quarantine = history.quarantine, error.code == .ruleFailed else { throw error }
            quarantine.report(QuarantinedEntry(of: entry, because: error))
            gathering.endGroup(of: entry.stream)
            groups.rows.append(
              (
                GroupEnd.key(at: entry.position, entry.path),
                GroupEnd(count: 1, first: entry.revision).encoded()
              ))
          }
        }
        if let only { return try add(to: only) }
        for gathering in gatherings { try add(to: gathering) }
      case .passedOver(let entry):
        for gathering in gatherings { gathering.endGroup(of: entry.stream) }
        groups.hasUnread = true
        groups.rows.append(
          (GroupEnd.key(at: entry.position, []), GroupEnd(count: 1, first: entry.revision).encoded()))
      }
    }
    for gathering in gatherings { groups.rows += gathering.finish() }
    return groups
  }
}

extension QuarantinedEntry {
  /// Creates a report of an event that is skipped because of `error`.
  fileprivate init(of entry: Entry<some SchemaEvent>, because error: AnnalsError) {
    self.init(
      position: entry.position, stream: entry.stream, revision: entry.revision,
      type: error.details.type ?? "", version: error.details.version, cause: error)
  }
}
