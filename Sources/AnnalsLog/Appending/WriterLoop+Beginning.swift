internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

// The begin of a transaction, with the tables that its calls need.
extension WriterLoop {
  /// The maximum size in bytes of the entries of a group that is recorded for the journal. The rest of a
  /// record, which has 32 KiB, is for the rows that come with them. With more rows, the commit flushes twice.
  private static let smallGroup = 26 << 10

  /// A transaction that has begun, and the newest entry before it.
  struct Opened: ~Copyable {
    var transaction: WriteTransaction
    let last: UInt64
    /// How event ids are recognised.
    let search: IDSearch
  }

  /// Begins a transaction for a group.
  ///
  /// - Parameter batch: The batch of a shared log that the calls are of; `nil` for calls of this process.
  /// - Returns: `nil` if the generation has been succeeded by another.
  mutating func open(
    _ calls: [GroupCall], _ turn: consuming Environment.Turn, of batch: SequencedBatch? = nil
  ) throws(AnnalsError) -> Opened? {
    let isRelaxed = batch?.isRelaxed ?? calls.allSatisfy { $0.durability == .relaxed }
    let durability: Durability = isRelaxed ? .relaxed : .full
    let (index, inline, tags) = (generation.environment.ids, generation.inline, generation.environment.tags)
    let plain = batch?.plain.map { Self.entryBytes($0.bytes, of: $0.events) } ?? 0
    let bytes = calls.reduce(plain) { $0 + Self.entryBytes($1.request.bytes, of: $1.request) }
    let isSmall = bytes <= Self.smallGroup && calls.allSatisfy { $0.request.change == nil }
    if generation.kinds.hashesJournal { generation.environment.recordsCommits = true }
    let transaction = try generation.environment.write(turn, durability, isSmall: isSmall)
    guard let last = try catchUp(transaction) else {
      transaction.abort()
      return nil
    }
    // A table that another process has made can only be used by a later transaction.
    if inline == nil, rules.contains(where: \.isInForce) {
      transaction.abort()
      try generation.openInline()
      guard generation.inline != nil else { throw AnnalsError.missingInline }
      return isLeading ? nil : try open(calls, self.turn(), of: batch)
    }
    if tags == nil, needsTags(for: calls) {
      transaction.abort()
      if isLeading { return nil }
      try openTags()
      return try open(calls, self.turn(), of: batch)
    }
    switch (idempotency, index) {
    case (.window(let length), _):
      return Opened(transaction: transaction, last: last, search: .window(UInt64(length)))
    case (.always, let index?): return Opened(transaction: transaction, last: last, search: .index(index))
    case (.always, nil):
      transaction.abort()
      try generation.environment.openIDs()
      guard generation.environment.ids != nil else { throw AnnalsError.missingIDs }
      return isLeading ? nil : try open(calls, self.turn(), of: batch)
    }
  }

  /// About how many bytes the events of a call take as entries and as changes of a record.
  private static func entryBytes(_ bytes: Int, of request: borrowing AppendRequest) -> Int {
    bytes - request.items.count * (AppendLimit.overhead - AppendLimit.usualOverhead)
  }
}
