internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

/// The largest streams of a log.
package struct StreamSizes: Sendable {
  /// The streams that are shown.
  package static let shown = 20
  /// The most streams that are compared by their names. In a log with more of them, the streams of the
  /// sample are compared: a stream is in it in proportion to its entries.
  package static let limit = 50_000

  /// One stream.
  package struct Line: Sendable, Equatable {
    package let name: String
    /// The number of its entries, hidden ones included.
    package let entries: UInt64
    /// The bytes of its entries, as the sample has them; `nil` if the sample has none of them.
    package let bytes: UInt64?
    package let first: UInt64
    package let last: UInt64

    package init(name: String, entries: UInt64, bytes: UInt64?, first: UInt64, last: UInt64) {
      self.name = name
      self.entries = entries
      self.bytes = bytes
      self.first = first
      self.last = last
    }
  }

  /// The largest streams, the largest first.
  package private(set) var lines: [Line] = []
  /// Whether every stream was compared.
  package internal(set) var isWhole = true

  package init() {}

  /// Keeps a stream if it is one of the largest so far.
  package mutating func add(_ line: Line) {
    let index = lines.firstIndex { $0.entries < line.entries } ?? lines.count
    guard index < Self.shown else { return }
    lines.insert(line, at: index)
    if lines.count > Self.shown { lines.removeLast() }
  }
}

extension EventLog {
  /// Returns the largest streams.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `tooManyReaders`, `storeReplaced` or `inputOutput`.
  /// - Complexity: O(min(streams, ``StreamSizes/limit``) + ``EntrySample/limit``).
  func streamSizes(_ sample: EntrySample, of count: UInt64) throws(AnnalsError) -> StreamSizes {
    var tally: [UInt64: (entries: Int, bytes: Int)] = [:]
    for entry in sample.entries {
      let old = tally[entry.stream] ?? (0, 0)
      tally[entry.stream] = (old.entries + 1, old.bytes &+ entry.bytes)
    }
    var sizes = StreamSizes()
    func line(_ name: StreamName, _ revision: Revision, _ first: Position, _ last: Position)
      -> StreamSizes.Line
    {
      let entries = revision.rawValue + 1
      let bytes = tally[first.rawValue].map { known in
        UInt64(Double(known.bytes) / Double(known.entries) * Double(entries))
      }
      return StreamSizes.Line(
        name: name.text, entries: entries, bytes: bytes, first: first.rawValue, last: last.rawValue)
    }
    guard count > UInt64(StreamSizes.limit) else {
      var last: StreamName?
      repeat {
        let page = try streams(after: last)
        for stream in page { sizes.add(line(stream.name, stream.revision, stream.first, stream.last)) }
        last = page.last?.name
      } while last != nil
      return sizes
    }
    sizes.isWhole = false
    // The most frequent ones of the sample: more of them cannot be among the largest by much.
    let frequent = tally.sorted { ($1.value.entries, $0.key) < ($0.value.entries, $1.key) }
    try read { (snapshot) throws(AnnalsError) in
      for (id, _) in frequent.prefix(10 * StreamSizes.shown) {
        let name = try snapshot.reader.name(of: Position(id))
        guard let head = try snapshot.head(of: name) else { continue }
        sizes.add(line(name, head.revision, head.id, head.last))
      }
    }
    return sizes
  }

  /// Returns the streams after a name, as many as one snapshot lists.
  private func streams(after name: StreamName?) throws(AnnalsError) -> [StreamSummary] {
    try read { (snapshot) throws(AnnalsError) in
      var streams = try snapshot.streams(after: name)
      var page: [StreamSummary] = []
      while page.count < 1_000, let stream = try streams.next() { page.append(stream) }
      return page
    }
  }
}
