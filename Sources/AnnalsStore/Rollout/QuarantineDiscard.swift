internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

internal import LMDB

/// Turns quarantined entries of older versions into stubs, in transactions of bounded size.
struct QuarantineDiscard {
  /// The number of entries that a transaction changes.
  static let batch = 1_000

  private let log: EventLog
  private let version: SchemaVersion

  /// Creates the change for entries of versions below `version`.
  init(log: EventLog, below version: SchemaVersion) {
    self.log = log
    self.version = version
  }

  /// Turns the entries into stubs.
  ///
  /// - Parameters:
  ///   - limit: The maximum number of entries: a pass may quarantine more meanwhile, which were not
  ///     confirmed.
  ///   - count: The number of entries that are permanently changed, even if an error is thrown.
  /// - Complexity: O(log).
  func run(atMost limit: UInt64, _ count: inout UInt64) throws(AnnalsError) {
    let before = count
    var next: Position? = 1
    while let start = next {
      let (found, rest) = try log.read { (snapshot) throws(AnnalsError) in
        try candidates(from: start, snapshot)
      }
      if !found.isEmpty {
        let allowed = limit - (count - before)
        var turned: UInt64 = 0
        _ = try ActivationWrite(log).run(risesEpoch: false) {
          (transaction, tables, kinds) throws(AnnalsError) in
          for position in found where turned < allowed {
            turned += try giveUp(position, kinds, tables, &transaction)
          }
          return true
        }
        count += turned
      }
      next = count - before < limit ? rest : nil
    }
  }

  /// Returns the next quarantined entries, and the position to continue at; `nil` at the end of the log.
  private func candidates(
    from start: Position, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> (found: [Position], rest: Position?) {
    var found: [Position] = []
    var scan = try snapshot.scan(from: start)
    while let entry = try scan.next() {
      if try Self.isSetAside(entry) { found.append(entry.position) }
      if found.count == Self.batch { return (found, Position(entry.position.rawValue + 1)) }
    }
    return (found, nil)
  }

  private static func isSetAside(_ entry: borrowing LentEntry) throws(AnnalsError) -> Bool {
    if entry.header.flags.contains(.stub) { return try stub(entry)?.cause == .quarantined }
    return try entry.layout { () throws(FormatFailure) in try entry.header.isQuarantined(entry.bytes) }
  }

  private static func stub(_ entry: borrowing LentEntry) throws(AnnalsError) -> Stub? {
    let body = try entry.layout { () throws(FormatFailure) in
      try EntryBody(entry.bytes, header: entry.header)
    }
    if case .stub(let stub) = body { return stub }
    return nil
  }

  /// Turns one entry, if it is of an older version and still quarantined.
  ///
  /// - Returns: The number of events that it counted as.
  private func giveUp(
    _ position: Position, _ kinds: KindRegistry, _ tables: StoreTables,
    _ transaction: inout WriteTransaction
  ) throws(AnnalsError) -> UInt64 {
    guard let (bytes, counts, stubbed) = try rewritten(position, kinds, tables, transaction) else { return 0 }
    do throws(EnvironmentError) {
      try transaction.put(bytes.span, forKey: position.rawValue, in: tables.entries)
    } catch {
      throw AnnalsError(error)
    }
    for kind in Set(counts + [stubbed]).sorted() {
      var row =
        try StoreReader(transaction.view, tables).row(UInt64(kind), in: tables.census, CensusRow.init)
        ?? CensusRow()
      // A damaged row must not stop the process; 'verify' finds it.
      row.quarantined &-= UInt64(counts.count { $0 == kind })
      if kind == stubbed { row.stubs &+= 1 }
      try transaction.put(row.encoded(), UInt64(kind), in: tables.census)
    }
    return UInt64(counts.count)
  }

  /// The bytes of the stub, the kinds that the entry was counted under, and the one that the stub has.
  private func rewritten(
    _ position: Position, _ kinds: KindRegistry, _ tables: StoreTables,
    _ transaction: borrowing WriteTransaction
  ) throws(AnnalsError) -> (bytes: [UInt8], counts: [UInt32], stub: UInt32)? {
    let reader = StoreReader(transaction.view, tables)
    let entry = try reader.lend(reader.bytes(at: position), at: position)
    guard try Self.isSetAside(entry) else { return nil }
    var counts = [entry.header.kind]
    if entry.header.flags.contains(.parts) {
      counts = []
      try entry.eachPart { (kind, _, _) in counts.append(kind) }
    }
    let isOlder = counts.contains { number in
      kinds.kinds[number]?.version.map { $0 < version } ?? true
    }
    guard isOlder, let first = counts.first else { return nil }
    var extensions = try entry.layout { () throws(FormatFailure) in
      try EntryExtensions(entry.bytes, entry.header)
    }
    let marked = extensions[QuarantineMark.key]
    let mark = try entry.layout { () throws(FormatFailure) in
      try marked.map { (bytes) throws(FormatFailure) in try QuarantineMark(bytes.span) }
    }
    extensions[QuarantineMark.key] = nil
    let older = try Self.stub(entry)
    var body: [UInt8] = []
    Stub(
      cause: .givenUp, from: mark?.from ?? older?.from, to: mark?.to ?? older?.to,
      reason: mark?.cause ?? older?.reason ?? ""
    ).append(to: &body)
    let kept = extensions.encoded()
    var copy = EntryCopy(entry.bytes, entry.header, kind: first, form: .stub, body: body.span)
    copy.extensions = kept.span
    copy.rows = entry.bytes.extracting(entry.header.rows..<entry.header.body.lowerBound)
    return (copy.encoded(at: position), counts, first)
  }
}
