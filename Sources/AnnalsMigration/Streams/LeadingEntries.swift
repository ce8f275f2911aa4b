internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Gives streams to which a pass moves entries their oldest revisions, one run of entries at a time.
///
/// What a truncation hides stays away, up to the first entry that is read. Hidden entries after that one are
/// stubs, among those of other streams.
struct LeadingEntries {
  private let tables: StoreTables
  /// The oldest revision of each stream of the run with hidden entries, by the stream's id.
  private var oldest: [Position: Revision] = [:]

  init(_ tables: StoreTables) {
    self.tables = tables
  }

  /// Notes an entry that is hidden in the older generation.
  ///
  /// - Parameters:
  ///   - id: The stream that it goes to.
  ///   - revision: Its revision there.
  mutating func note(_ id: Position, _ revision: Revision, _ reader: StoreReader) throws(AnnalsError) {
    let known: Revision
    if let noted = oldest[id] { known = noted } else { known = try reader.limit(of: id).oldest }
    oldest[id] = known == revision ? Revision(revision.rawValue + 1) : known
  }

  /// Puts the revisions that have changed.
  func put(in transaction: inout WriteTransaction) throws(AnnalsError) {
    for (id, revision) in oldest where revision > 0 {
      var limit = StreamLimit()
      limit.oldest = revision
      try transaction.put(limit.encoded(), StreamLimit.name(id), in: tables.meta)
    }
  }
}
