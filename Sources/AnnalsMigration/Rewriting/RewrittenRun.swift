internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

/// Consecutive entries of a new generation, ready to be put; its storage is used again.
struct RewrittenRun: Sendable {
  /// The position of the first entry.
  private(set) var first: Position = 1
  /// The entries' bytes, one entry after the other, and room after them.
  private var bytes: [UInt8] = []
  /// Where each entry ends.
  private(set) var ends: [Int] = []
  /// What the entries add to the census.
  var tally = KindTally()
  /// What has become of the entries.
  var changes = RunChanges()

  /// What the entries deliver in the older generation.
  var delivered = RunDigest()
  /// The lines of an archive for the entries that lose something.
  var archive = JSONWriter()

  /// The indices of the entries that record changes of the log itself.
  private(set) var systemEntries: [Int] = []

  /// Where each entry goes, in a pass that moves entries to other streams; otherwise empty.
  var routes: [RoutedEntry] = []

  /// The most room that is kept for a next run.
  private static let keptRoom = 4 << 20

  /// The number of entries.
  var count: Int { ends.count }
  /// The number of bytes that they have.
  var byteCount: Int { ends.last ?? 0 }
  /// The position of the last entry; there is one.
  var last: Position { position(of: count - 1) }

  /// The position of the entry numbered `index`.
  func position(of index: Int) -> Position { Position(first.rawValue + UInt64(index)) }

  /// The bytes of the entry numbered `index`.
  @_lifetime(borrow self)
  func entry(_ index: Int) -> Span<UInt8> {
    bytes.span.extracting((index == 0 ? 0 : ends[index - 1])..<ends[index])
  }

  /// Begins again with the entry at `first`.
  mutating func begin(at first: Position) {
    self.first = first
    ends.removeAll(keepingCapacity: true)
    tally.clear()
    changes.clear()
    delivered = RunDigest()
    routes.removeAll(keepingCapacity: true)
    systemEntries.removeAll(keepingCapacity: true)
    // One large entry must not keep its room for the rest of a pass.
    if bytes.count > Self.keptRoom { bytes = [] }
    if archive.bytes.count > Self.keptRoom { archive = JSONWriter() } else { archive.removeAll() }
  }

  /// Adds an entry that is the same in both generations.
  @inline(__always)
  mutating func add(unchanged entry: Span<UInt8>) {
    let start = makeRoom(entry.count)
    var all = bytes.mutableSpan
    var place = all._mutatingExtracting(start..<start + entry.count)
    var writer = ByteWriter(&place)
    writer.write(entry)
    ends.append(start + entry.count)
  }

  /// Adds an entry that records a change of the log itself; no pass changes it.
  mutating func add(system entry: Span<UInt8>) {
    systemEntries.append(count)
    add(unchanged: entry)
  }

  /// Puts an entry in place of the last one.
  mutating func replaceLast(with entry: Span<UInt8>) {
    ends.removeLast()
    add(unchanged: entry)
  }

  /// Adds an entry that is changed.
  @inline(__always)
  mutating func add(_ copy: borrowing EntryCopy) {
    let count = copy.count
    let start = makeRoom(count)
    let position = position(of: ends.count)
    var all = bytes.mutableSpan
    var place = all._mutatingExtracting(start..<start + count)
    copy.write(to: &place, at: position)
    ends.append(start + count)
  }

  /// Adds an entry that continues in another place of a stream.
  mutating func add(_ relink: borrowing EntryRelink) {
    let count = relink.count
    let start = makeRoom(count)
    let position = position(of: ends.count)
    var all = bytes.mutableSpan
    var place = all._mutatingExtracting(start..<start + count)
    relink.write(to: &place, at: position)
    ends.append(start + count)
  }

  /// Makes room for another entry.
  ///
  /// - Returns: Where it begins.
  @inline(__always)
  private mutating func makeRoom(_ count: Int) -> Int {
    let start = byteCount
    if bytes.count - start < count { grow(by: count) }
    return start
  }

  private mutating func grow(by count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: max(count, bytes.count / 2, 1 << 16)))
  }
}
