#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Finds lines of an import that are in the log already, by their ids.
///
/// The window in which the store itself recognises ids is short, and a file that is imported once more is long. So the
/// entries that a stream had when the import met it first are walked along with the lines: an id is looked for behind the
/// last one that was found, and from the first id that is not there on, the lines of the stream are new. A line without an
/// id is there already only where it follows one that is, and says what the next entry says.
struct ImportRepeats {
  /// A stream in which lines are looked for.
  private struct Stretch {
    let stream: StreamName
    /// The revision at which the next of them may stand, or behind it.
    var next: UInt64 = 0
    /// The last revision that the stream had when the import met it first.
    let last: UInt64
  }

  private let log: EventLog
  /// Whether there is anything to compare with.
  private let hasEntries: Bool
  /// By stream, where its lines may stand: in the stream itself, and in those that a pass has led its entries to. Where that is nowhere, what follows is new.
  private var places: [StreamName: [Stretch]] = [:]

  /// Compares lines with what `log` holds before any of them is stored.
  init(_ log: EventLog) throws(AnnalsError) {
    self.log = log
    hasEntries = try log.read { (snapshot) throws(AnnalsError) in try snapshot.head() != nil }
  }

  /// Takes out of `batch` what is in the log already.
  ///
  /// - Returns: How many lines that were.
  /// - Complexity: O(log of the stream's length) a line, and O(length) for every id that is not where it is looked for first.
  mutating func remove(from batch: inout ImportBatch) throws(AnnalsError) -> UInt64 {
    guard hasEntries, batch.hasIDs else { return 0 }
    return try log.read { (snapshot) throws(AnnalsError) in
      try batch.remove { (event, stream) throws(AnnalsError) in try isThere(event, stream, snapshot) }
    }
  }

  private mutating func isThere(
    _ event: AppendRequest.Event, _ stream: StreamName, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> Bool {
    var stretches: [Stretch]
    if let known = places[stream] {
      stretches = known
    } else {
      stretches = try self.stretches(of: stream, snapshot)
    }
    defer { places[stream] = stretches }
    for isNear in [true, false] {
      for index in stretches.indices {
        guard let found = try find(event, stretches[index], isNear: isNear, snapshot) else { continue }
        stretches[index].next = found + 1
        return true
      }
      if event.id == nil { return false }
    }
    stretches = []
    return false
  }

  private func stretches(
    of stream: StreamName, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> [Stretch] {
    var stretches: [Stretch] = []
    for name in [stream] + (try snapshot.moved(from: stream)) {
      guard let head = try snapshot.head(of: name), head.newestID != nil else { continue }
      stretches.append(Stretch(stream: name, last: head.revision.rawValue))
    }
    return stretches
  }

  /// The revision of the entry that a line was stored as; `nil` where there is none.
  ///
  /// - Parameter isNear: Whether it is looked for as the very next one alone.
  private func find(
    _ event: AppendRequest.Event, _ range: Stretch, isNear: Bool, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> UInt64? {
    guard let head = try snapshot.head(of: range.stream) else { return nil }
    let reader = snapshot.reader
    var touched = 0
    var start = range.next
    // Nearly always it is the very next entry; a window is read only where it is not.
    var width: UInt64 = 1
    while start <= range.last {
      let end = min(start + width - 1, range.last)
      let found = try reader.walk(start...end, of: head, touched: &touched) {
        (bytes, header, position) throws(AnnalsError) in
        if let id = event.id {
          return header.flags.contains(.id) && UUID(bytes, at: header.id.lowerBound) == id
        }
        return range.next > 0 && !header.flags.contains(.id)
          && snapshot.kinds.kind(version: event.record.version, name: event.record.type, shape: nil)
            == header.kind
          && bytes.extracting(header.body).isEqual(to: event.payload.span)
      }
      if let index = found.firstIndex(of: true) { return start + UInt64(index) }
      if isNear { return nil }
      start = end + 1
      width = 256
    }
    return nil
  }
}
