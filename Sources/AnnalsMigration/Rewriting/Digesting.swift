internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore

/// Computes digests of the delivered events of ranges of a generation.
struct Digesting: Sendable {
  /// The generation that is read.
  let source: RewriteSource
  /// The plan; `nil` if entries are compared as they are stored.
  let reach: PlanResolver?
  /// Whether entries that cannot be upcast count as such; otherwise they are errors.
  let isQuarantining: Bool

  /// How the stream of an entry counts.
  var streams = StreamDigesting.stored
  /// The rules that compute tags again; `nil` for none. Entries that they have changed already are of a
  /// version that they do not concern.
  var retagging: PassRetagging?

  /// The number of positions that are read in one snapshot.
  static let runEntries: UInt64 = 1_024

  /// What a thread computes digests with.
  func digester() -> EntryDigester {
    var router: StreamRouter?
    if case .routed(let move) = streams {
      router = move.router(of: source, isSettingAside: isQuarantining)
    }
    return EntryDigester(
      reach, source, isQuarantining: isQuarantining, isByName: streams.isByName, router,
      retagging.map { EntryRetagger($0, source) })
  }

  /// What the entries at `positions` deliver, in one snapshot.
  func digest(
    of positions: ClosedRange<UInt64>, _ digester: EntryDigester
  ) throws(AnnalsError) -> EventDigest {
    var digest = RunDigest()
    try source.read(
      positions, { (kinds) in digester.enter(kinds) }, expecting: { digester.expect($0) },
      { (entry, reader) throws(AnnalsError) in
        digest.enter(entry.position)
        try digester.add(entry, reader, to: &digest.sum)
        return true
      })
    return digest.whole
  }

  /// What the entries at `positions` deliver.
  ///
  /// - Parameters:
  ///   - positions: They must all be there.
  ///   - threads: On how many threads, alongside the one that adds up; with 1 that one does everything.
  ///   - isCancelled: Asked now and then.
  /// - Throws: ``AnnalsError``: what a read of the entries throws; `cancelled`.
  func digest(
    of positions: ClosedRange<UInt64>, threads: Int, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws(AnnalsError) -> EventDigest {
    var line = try PassLine<EventDigest>(
      PositionPieces(positions, each: Self.runEntries), threads: threads, length: 2 * threads,
      isCancelled: isCancelled
    ) {
      let digester = digester()
      return { (range) throws(AnnalsError) in (try digest(of: range, digester), nil) }
    }
    var total = EventDigest()
    while let digest = try line.next() { total.add(digest) }
    return total
  }
}

/// How the stream of an entry counts in what a generation delivers.
enum StreamDigesting: Sendable {
  /// By the first entry and the revision, as they are stored.
  case stored
  /// By the name alone.
  case named
  /// By the name of the stream that the entry goes to.
  case routed(StreamMove)

  /// Whether only names count.
  var isByName: Bool { if case .stored = self { false } else { true } }
}
