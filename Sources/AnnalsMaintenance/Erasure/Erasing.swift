internal import AnnalsAttachments
internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsProjections
internal import AnnalsSubscriptions

/// Erases entries: in the log, and in everything that programs have worked out from it.
///
/// Views are withdrawn before the first commit, and none is built before the last one. So no read of a view
/// returns an erased event, even if the process is killed in between.
struct Erasing {
  /// The number of entries that a transaction erases, and a system entry records.
  static let batch = 10_000

  let log: EventLog
  let author: String
  let reason: String
  /// The rules of the store that erases; none for a log without a plan.
  let rules: [any AppendRule]

  init(_ log: EventLog, author: String, reason: String, rules: [any AppendRule] = []) throws(AnnalsError) {
    guard !author.isEmpty, !reason.isEmpty else {
      throw AnnalsError(.wrongUse, "an erasure records who asked for it, and why; neither may be empty")
    }
    guard log.options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    self.log = log
    self.author = author
    self.reason = reason
    self.rules = rules
  }

  /// Erases all entries of a stream, and its name with the next pass.
  func run(stream: StreamName) throws(AnnalsError) -> ErasureReport {
    var head: Revision = 0
    return try run(
      { (log) throws(AnnalsError) in
        let (positions, newest) = try log.positions(of: stream)
        head = newest
        return positions
      }, stream: { (stream, head) })
  }

  /// Erases the entries that `select` returns.
  ///
  /// - Parameter stream: Returns the stream that loses its name with the last of them, and the revision of
  ///   its newest entry.
  func run(
    _ select: (EventLog) throws(AnnalsError) -> [Position],
    stream: () -> (name: StreamName, head: Revision)? = { nil }
  ) throws(AnnalsError) -> ErasureReport {
    let passes = try log.keepPassesOut()
    try mustBeAllowed()
    let positions = try select(log).sorted()
    guard !positions.isEmpty else { return ErasureReport(entries: 0, recorded: []) }
    let kinds = try log.read { (snapshot) throws(AnnalsError) in try ErasedKinds(positions, snapshot) }
    let views = try log.core.withdrawViews(of: kinds)
    // Before and after: a load in between may keep a state that it has folded from the contents.
    try log.core.removeSnapshots()
    var recorded: [Position] = []
    var next = 0
    while next < positions.count {
      let end = min(next + Self.batch, positions.count)
      try releaseAttachments(of: positions[next..<end])
      let whole = end == positions.count ? stream() : nil
      let request = try request(Array(positions[next..<end]), whole)
      recorded += try log.append(blocking: request).positions
      next = end
    }
    views?.end()
    try log.core.removeSnapshots()
    // The members of a cluster complete the rows as they apply the erasure.
    if log.options.sequencer == nil {
      for rule in rules { try rule.begin(log, isActivating: false) { () throws(AnnalsError) in } }
    }
    let entries = try erased(by: recorded)
    _ = consume passes
    return ErasureReport(entries: entries, recorded: recorded)
  }

  /// Lets the next pass remove contents that only these entries refer to, without waiting.
  private func releaseAttachments(of positions: ArraySlice<Position>) throws(AnnalsError) {
    let contents = try log.read { (snapshot) throws(AnnalsError) in
      var contents: [ContentHash: Int64] = [:]
      guard snapshot.kinds.hasAttachments else { return contents }
      let last = try snapshot.reader.last()
      // The commit refuses positions without an entry.
      for position in positions where position.rawValue > 0 && position.rawValue <= last {
        for hash in try snapshot.reader.attachments(at: position) {
          contents[hash] = max(contents[hash] ?? 0, try snapshot.reader.time(committedBy: position))
        }
      }
      return contents
    }
    guard !contents.isEmpty else { return }
    try BlobDirectory.open(in: log.core.generation.directory)?.markErased(contents)
  }

  func request(
    _ positions: [Position], _ stream: (name: StreamName, head: Revision)? = nil
  ) throws(AnnalsError) -> AppendRequest {
    var change = LogChange(.erase(positions), author: author, reason: reason)
    change.erasedStream = stream
    var request = try AppendRequest(change)
    request.rules = rules
    return request
  }

  /// Throws before anything is changed if the store demands a rule that the caller lacks.
  func mustBeAllowed() throws(AnnalsError) {
    let demanded = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.ruleRows() }
    if let refusal = try request([]).missingRule(in: demanded) { throw refusal }
  }

  private func erased(by recorded: [Position]) throws(AnnalsError) -> UInt64 {
    try log.read { (snapshot) throws(AnnalsError) in
      var count: UInt64 = 0
      for position in recorded {
        guard case .erased(let positions, _) = try snapshot.systemEntry(at: position)?.entry.change else {
          continue
        }
        count += positions.count
      }
      return count
    }
  }
}
