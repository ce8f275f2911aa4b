/// What a pass has done with entries so far.
struct PassTally: Sendable {
  private var changes = RunChanges()
  private var quarantined: UInt64 = 0
  private var moved: UInt64 = 0

  /// Counts a run.
  mutating func add(_ run: borrowing RewrittenRun) {
    changes.add(run.changes)
    for route in run.routes where route.new != route.old { moved += 1 }
    for line in run.tally.lines { quarantined += line.row.quarantined }
  }

  /// Puts the numbers into a report.
  func fill(_ report: inout MigrationReport) {
    report.rewritten = changes.rewritten
    report.split = changes.split
    report.folded = changes.folded
    report.moved = moved
    report.quarantined = quarantined
    report.dropped = changes.drops.map { .init(type: $0.key.type, reason: $0.key.reason, count: $0.value) }
      .sorted { (ExactText($0.type), ExactText($0.reason)) < (ExactText($1.type), ExactText($1.reason)) }
  }
}
