internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import LMDB

/// Gives the entries of a pass their places in the streams that they go to: streams, revisions and links, by
/// heads as the writer of the log has them.
///
/// It holds the new generation's file open, and knows of each entry that is there; so it is let go before
/// that file is closed, and made again.
final class StreamRelinking {
  /// The entries of the run that was relinked last.
  private(set) var run = RewrittenRun()
  private let generation: Generation
  private let source: Generation
  private let interval: HeadMerge.Interval
  private var merge: HeadMerge
  private var moved = MovedNotes()
  private var origins: StreamOrigins
  private let hidden: HiddenEntries

  /// Continues after what a generation that is being built has.
  ///
  /// - Parameters:
  ///   - source: The generation that the pass reads.
  ///   - interval: After how much of the log heads are merged.
  ///   - hidden: The entries that truncations hide in the older generation.
  init(
    _ generation: Generation, from source: Generation, _ interval: HeadMerge.Interval, hidden: HiddenEntries
  ) throws(AnnalsError) {
    self.generation = generation
    self.source = source
    origins = StreamOrigins(source: source)
    self.interval = interval
    self.hidden = hidden
    merge = HeadMerge(generation, interval)
    try generation.read { (reader) throws(AnnalsError) in
      try generation.heads.follow(reader.end(), reader)
    }
  }

  deinit { merge.join() }

  /// Begins a transaction: what follows is taken back by ``rollBack()``, and stays after ``keep()``.
  func begin() { generation.heads.withTable { $0.begin() } }

  /// Keeps what the transaction changed.
  func keep() { generation.heads.withTable { $0.keep() } }

  /// Takes back what the transaction changed.
  func rollBack() {
    generation.heads.withTable { $0.rollBack() }
    moved = MovedNotes()
    origins = StreamOrigins(source: source)
  }

  /// Makes ``run`` of the entries of `source`, which come next, each in the place that its route leads to;
  /// and notes which streams have moved.
  func relink(
    _ source: borrowing RewrittenRun, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    run.begin(at: source.first)
    run.tally = source.tally
    run.changes = source.changes
    var leading = LeadingEntries(generation.tables)
    for index in 0..<source.count {
      let route = source.routes[index]
      if route.new != route.old {
        try moved.note(route, generation.tables, in: &transaction)
      }
      let hadEntries = try relink(
        source.entry(index), at: source.position(of: index), to: route.new, &leading,
        StoreReader(transaction.view, generation.tables))
      try origins.note(
        route, generation.number, hadEntries: hadEntries, generation.tables, in: &transaction)
    }
    try leading.put(in: &transaction)
  }

  /// Adds an entry to ``run``.
  ///
  /// - Returns: Whether the stream had an entry before.
  private func relink(
    _ entry: Span<UInt8>, at position: Position, to stream: StreamName, _ leading: inout LeadingEntries,
    _ reader: StoreReader
  ) throws(AnnalsError) -> Bool {
    let header = try reader.header(entry, at: position)
    let hash = StreamHash(stream)
    let hasID = header.flags.contains(.id)
    var place: (id: UInt64, revision: Revision, links: EntryLinks)?
    try generation.heads.withTable { (table) throws(AnnalsError) in
      guard table.last + 1 == position.rawValue else {
        throw AnnalsError(
          .verifyFailed,
          "position \(position): the new generation ends at \(table.last), so that the entry has no place in its stream; the store is as it was",
          details: AnnalsError.Details { $0.position = position })
      }
      let found = try AppendGroup.look(up: stream, hash, reader, &table)
      guard found.id != 0 else {
        table.begin(hash, hasID: hasID)
        return
      }
      let links = table.extend(found.slot, hasID: hasID)
      place = (found.id, Revision(table.slots.revision(found.slot)), links)
    }
    if let place {
      run.add(EntryRelink(entry, header, in: place.id, revision: place.revision, links: place.links))
    } else {
      let name = stream.text
      run.add(EntryRelink(entry, header, beginning: name.utf8.span))
    }
    if hidden.covers(header) {
      try leading.note(place.map { Position($0.id) } ?? position, place?.revision ?? 0, reader)
    }
    let size = run.entry(run.count - 1).count
    generation.heads.withTable { $0.count(bytes: size) }
    return place != nil
  }

  /// Whether so many entries came since the last merge that the next one is due.
  var isMergeDue: Bool {
    let interval = interval
    return generation.heads.withTable {
      $0.tail >= interval.entries || $0.dirtyBytes >= interval.bytes
    }
  }

  /// Writes the heads of all that is there into their rows, in a transaction of its own.
  func mergeHeads(_ target: PassTarget, _ durability: Durability) throws(AnnalsError) {
    try target.write(durability) { (transaction) throws(AnnalsError) in
      try merge.finish(in: &transaction)
    }
    merge.keep()
  }
}
