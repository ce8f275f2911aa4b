internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

/// Takes the limits of streams over into the generation that a pass builds.
///
/// The rows are copied when the pass begins, with the position up to which they are complete. Later changes
/// follow from the system entries, as those are copied. A pass that moves entries to other streams gives
/// streams other ids. It notes the oldest revisions with the entries (``LeadingEntries``), and closes streams
/// at its end, by name.
struct LimitCopy {
  /// The number of rows in a commit.
  private static let batch = 10_000

  let source: Generation
  let target: PassTarget
  /// Whether the pass moves entries to other streams.
  let isMoving: Bool
  /// Whether the pass replaces what cannot be read.
  var isRepairing = false

  /// Copies the rows that there are now, but no limits in a pass that gives streams other ids.
  ///
  /// - Returns: The position of the newest entry by then.
  func run() throws(AnnalsError) -> UInt64 {
    let (end, rules) = try source.read { (reader) throws(AnnalsError) in
      (try reader.last(), try reader.retentionRules())
    }
    try put(rules)
    var times = TimesCopy(source: source, target: target, isRepairing: isRepairing)
    try times.run()
    var last: Position?
    while !isMoving {
      let rows = try rows(after: last)
      guard let next = rows.last else { return end }
      try target.write(.full) { (transaction) throws(AnnalsError) in
        for (id, limit) in rows {
          try transaction.put(limit.encoded(), StreamLimit.name(id), in: target.tables.meta)
        }
      }
      last = next.0
    }
    return end
  }

  /// Gives the target these retention rules and no others.
  private func put(_ rules: [RetentionRule]) throws(AnnalsError) {
    let old = try target.read { (reader) throws(AnnalsError) in try reader.retentionRules() }
    if old == rules { return }
    try target.write(.full) { (transaction) throws(AnnalsError) in
      for rule in old { try transaction.remove(rule.rowName, in: target.tables.meta) }
      for rule in rules { try transaction.put(rule.encoded(), rule.rowName, in: target.tables.meta) }
    }
  }

  private func rows(after last: Position?) throws(AnnalsError) -> [(Position, StreamLimit)] {
    var rows: [(Position, StreamLimit)] = []
    try source.read { (reader) throws(AnnalsError) in
      try reader.eachLimit(after: last) { (id, limit) in
        rows.append((id, limit))
        return rows.count < Self.batch
      }
    }
    return rows
  }

  /// Completes the limits of streams in a generation to which a pass has moved entries, and its retention
  /// rules.
  ///
  /// A stream is closed if the stream of the same name was, or if all of its entries are from one that was. A
  /// stream that the pass begins under an erased name is another one.
  ///
  /// A stream whose visible entries have all moved away does not become empty: `noStream` would begin it
  /// again.
  ///
  /// - Parameters:
  ///   - generation: The new generation.
  ///   - nameless: The ids of the streams whose names leave with the pass.
  /// - Complexity: O(streams with a limit), and O(streams with moved entries) if any was closed.
  func finish(_ generation: Generation, except nameless: Set<UInt64>) throws(AnnalsError) {
    try put(try source.read { (reader) throws(AnnalsError) in try reader.retentionRules() })
    let closed = try source.read { (reader) throws(AnnalsError) in
      var closed: Set<StreamName> = []
      try reader.eachLimit { (id, limit) throws(AnnalsError) in
        if limit.isClosed, !nameless.contains(id.rawValue) { closed.insert(try reader.name(of: id)) }
        return true
      }
      return closed
    }
    var rows: [Position: StreamLimit] = [:]
    try generation.read { (reader) throws(AnnalsError) in
      try reader.eachLimit { (id, old) throws(AnnalsError) in
        let name = try reader.name(of: id)
        // The row may be of a switch that failed, and the stream was reopened since.
        var limit = StreamLimit()
        limit.oldest = old.oldest
        if let head = try generation.head(of: name, reader), limit.empties(head.revision),
          try isVisible(name)
        {
          limit.oldest = 0
        }
        rows[id] = limit
        return true
      }
      for stream in closed.union(try successors(of: closed, reader, generation.number)) {
        guard let head = try generation.head(of: stream, reader) else { continue }
        rows[head.id, default: StreamLimit()].isClosed = true
      }
    }
    try target.write(.full) { (transaction) throws(AnnalsError) in
      for (id, limit) in rows {
        if limit == StreamLimit() {
          try transaction.remove(StreamLimit.name(id), in: target.tables.meta)
        } else {
          try transaction.put(limit.encoded(), StreamLimit.name(id), in: target.tables.meta)
        }
      }
    }
  }

  /// Whether a stream of the older generation has entries that are read.
  private func isVisible(_ stream: StreamName) throws(AnnalsError) -> Bool {
    try source.read { (reader) throws(AnnalsError) in
      guard let head = try source.head(of: stream, reader) else { return false }
      return try !reader.limit(of: head.id).empties(head.revision)
    }
  }
}

extension LimitCopy {
  /// Returns the streams in which the pass has put entries of one of `streams`, and no others are.
  private func successors(
    of streams: Set<StreamName>, _ reader: StoreReader, _ generation: UInt64
  ) throws(AnnalsError) -> [StreamName] {
    if streams.isEmpty { return [] }
    var found: [StreamName] = []
    try reader.eachFact(OriginRow.prefix, after: nil) { (key, value) in
      // It was decoded once already. A stream with entries of several has its own name there.
      if let row = try? OriginRow(value.span), row.generation == generation, streams.contains(row.stream) {
        found.append(StreamName(String(key.dropFirst(OriginRow.prefix.count))))
      }
      return true
    }
    return found
  }
}

extension GenerationWriter {
  /// Gives streams the limits that a system entry records.
  func apply(_ entry: Span<UInt8>, at position: Position, in transaction: inout WriteTransaction)
    throws(AnnalsError)
  {
    let body: EntryBody
    do throws(FormatFailure) { body = try EntryBody(entry, header: EntryHeader(entry, at: position)) } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    guard case .stub(let stub) = body, let system = stub.system else { return }
    switch system.change {
    case .closed(let stream): try change(stream, in: &transaction) { $0.isClosed = true }
    case .reopened(let stream): try change(stream, in: &transaction) { $0.isClosed = false }
    case .truncated(let truncations):
      for truncation in truncations {
        try change(truncation.stream, in: &transaction) { $0.oldest = max($0.oldest, truncation.oldest) }
      }
    case .erased: break
    case .retained(let rule, isRemoved: false):
      try transaction.put(rule.encoded(), rule.rowName, in: tables.meta)
    case .retained(let rule, isRemoved: true):
      try transaction.remove(rule.rowName, in: tables.meta)
    }
  }

  private func change(
    _ stream: Position, in transaction: inout WriteTransaction, _ body: (inout StreamLimit) -> Void
  ) throws(AnnalsError) {
    var limit = try StoreReader(transaction.view, tables).limit(of: stream)
    body(&limit)
    try transaction.put(limit.encoded(), StreamLimit.name(stream), in: tables.meta)
  }
}
