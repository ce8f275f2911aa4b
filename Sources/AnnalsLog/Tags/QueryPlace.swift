internal import AnnalsCoding
internal import AnnalsFormat

/// The query of a read, and how far the read is where the chains of tags lead it.
struct QueryPlace: Sendable {
  /// The positions that chains of tags lead through.
  struct Range: Sendable {
    /// The next position that may be read; backwards, the highest one.
    var next: UInt64
    /// The position to end at; backwards, the lowest one.
    var end: UInt64
    var backwards: Bool
    /// Whether nothing follows.
    var isAtEnd: Bool

    init(next: UInt64, end: UInt64, backwards: Bool) {
      self.next = next
      self.end = end
      self.backwards = backwards
      isAtEnd = backwards ? next < end || next == 0 : next > end
    }

    /// Notes that the entry at `position` was read.
    mutating func pass(_ position: UInt64) {
      if backwards ? position <= end : position >= end { isAtEnd = true }
      next = backwards ? position - 1 : position + 1
    }
  }

  let source: QuerySource
  /// The query for the kinds of the snapshot.
  private(set) var stored: StoredQuery
  /// The heads of its tags in the snapshot.
  private(set) var heads: [EventTag: TagHead]
  /// `nil` if all entries of the log or of a stream are passed.
  var range: Range?

  /// Prepares a query in a snapshot.
  init(_ source: QuerySource, _ snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    try source.tags.check()
    self.source = source
    stored = try source.resolve(snapshot.kinds)
    heads = try snapshot.heads(of: source)
  }

  /// Continues in another snapshot, which may have more entries, or be of another generation.
  mutating func enter(_ snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    stored = try source.resolve(snapshot.kinds)
    heads = try snapshot.heads(of: source)
  }

  /// The way through the chains from the place of the read on.
  func steps(_ reader: StoreReader) throws(AnnalsError) -> TagSteps? {
    guard let range, !range.isAtEnd else { return nil }
    return try TagSteps(
      stored, from: range.next, through: range.end, backwards: range.backwards, reader
    ) { (tag) in heads[tag] }
  }
}

extension LogSnapshot {
  /// The heads of the tags of a query.
  fileprivate func heads(of source: QuerySource) throws(AnnalsError) -> [EventTag: TagHead] {
    guard !source.tags.list.isEmpty, kinds.hasTags else { return [:] }
    guard let table = generation.environment.tags else { throw AnnalsError.missingTags }
    var heads: [EventTag: TagHead] = [:]
    for place in source.tags.list { heads[place.tag] = try reader.tagHead(of: place.tag, in: table) }
    return heads
  }
}
