package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
package import LMDB

extension StoreReader {
  /// Checks every entry and every row, with `kinds` as the store has them.
  ///
  /// - Parameters:
  ///   - environment: The environment that the reader is of, with its optional tables open.
  ///   - others: Checks the tables of upper layers, which the log does not know.
  package func verify(
    _ kinds: KindRegistry, in environment: Environment, _ progress: (EventLog.Progress) -> Void,
    others: (inout TableCheck, SnapshotEnd) throws(AnnalsError) -> Void = { (_, _) in }
  ) throws(AnnalsError) -> VerifyReport {
    var end = SnapshotEnd(checkpoint: 0, last: try last())
    var report = VerifyReport()
    // A row that cannot be read is a finding; without it no other row of heads is asked for.
    do { end.checkpoint = try checkpoint() } catch { report.add(error, place: "table 'meta'") }
    let index = IDIndexCheck(self, environment.ids, &report)
    var entries = EntryCheck(self, kinds, checkpoint: end.checkpoint, index, tags: environment.tags, report)
    try entries.run(last: end.last) { done, total in progress(EventLog.Progress(done: done, total: total)) }
    var tables = TableCheck(self, kinds, entries.report)
    try tables.run(end, entries)
    try others(&tables, end)
    try tables.checkIDs(entries)
    try tables.checkTags(entries)
    report = tables.report
    report.lookUps = entries.lookUps + tables.lookUps
    return report
  }
}
