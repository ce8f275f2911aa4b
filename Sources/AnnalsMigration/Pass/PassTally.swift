internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import LMDB

/// The counts of a pass so far.
struct PassTally: Sendable {
  private(set) var row = PassTallyRow()
  /// The names of the tags that the pass computes again.
  private let names: [String]
  private var quarantined: UInt64 = 0

  /// Continues from the counts of an interrupted pass.
  ///
  /// - Parameter names: The names of the tags that the pass computes again.
  init(_ row: PassTallyRow = PassTallyRow(), retagging names: [String] = []) {
    self.row = row
    self.names = names
  }

  /// Counts a run.
  mutating func add(_ run: borrowing RewrittenRun) {
    row.changes.add(run.changes)
    for route in run.routes where route.new != route.old { row.moved += 1 }
    for line in run.tally.lines { quarantined += line.row.quarantined }
  }

  /// Puts the numbers into the generation that the pass builds.
  func put(in transaction: inout WriteTransaction, _ tables: StoreTables) throws(AnnalsError) {
    try transaction.put(row.encoded(), PassTallyRow.name, in: tables.meta)
    if row.changes.retagged > 0 {
      let tags = PassTagsRow(entries: row.changes.retagged, names: names)
      try transaction.put(tags.encoded(), PassTagsRow.name, in: tables.meta)
    }
    guard row.changes.removed.hasDeclared else { return }
    try transaction.put(PassFieldsRow.encoded(row.changes.removed), PassFieldsRow.name, in: tables.meta)
  }

  /// Puts the numbers into a report.
  func fill(_ report: inout MigrationReport) {
    let changes = row.changes
    report.rewritten = changes.rewritten
    report.split = changes.split
    report.folded = changes.folded
    report.retagged = changes.retagged
    report.moved = row.moved
    report.quarantined = quarantined
    report.removedFields = changes.removed.fields
    report.dropped = changes.drops.map { .init(type: $0.key.type, reason: $0.key.reason, count: $0.value) }
      .sorted { (ExactText($0.type), ExactText($0.reason)) < (ExactText($1.type), ExactText($1.reason)) }
  }
}
