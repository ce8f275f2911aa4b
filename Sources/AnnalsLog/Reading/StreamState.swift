public import AnnalsCoding
package import AnnalsFormat

/// How much of a stream can be read, and whether it takes events, in one snapshot.
public struct StreamState: Equatable, Sendable {
  /// The revision of the newest event.
  public let revision: Revision
  /// The oldest revision that is read. It is after ``revision`` if the stream reads as empty.
  public let oldest: Revision
  /// Whether the stream takes no more events.
  public let isClosed: Bool

  /// Whether no event of the stream is read.
  public var isEmpty: Bool { oldest > revision }
}

extension LogSnapshot {
  /// Returns how much of `stream` can be read, and whether it takes events; `nil` if it never had an event.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName`, `damaged` or `inputOutput`.
  /// - Complexity: Three look-ups.
  public func state(of stream: StreamName) throws(AnnalsError) -> StreamState? {
    guard let head = try head(of: stream) else { return nil }
    let limit = try limit(of: head.id)
    return StreamState(revision: head.revision, oldest: limit.oldest, isClosed: limit.isClosed)
  }

  /// The limit of the stream whose first entry is at `id`.
  package func limit(of id: Position) throws(AnnalsError) -> StreamLimit {
    kinds.limitsStreams ? try reader.limit(of: id) : StreamLimit()
  }
}

/// A system entry, with its reason and the time of its commit.
package struct RecordedChange: Sendable {
  package let position: Position
  package let time: Timestamp
  package let reason: String
  package let entry: SystemEntry
}

extension StoreReader {
  /// Returns the change that the entry at `position` records; `nil` for any other entry.
  package func systemEntry(at position: Position) throws(AnnalsError) -> RecordedChange? {
    let bytes = try bytes(at: position)
    let entry = try lend(bytes, at: position)
    guard entry.header.isSystem else { return nil }
    let body = try entry.layout { () throws(FormatFailure) in try EntryBody(bytes, header: entry.header) }
    guard case .stub(let stub) = body, let system = stub.system else { return nil }
    return RecordedChange(position: position, time: entry.time, reason: stub.reason, entry: system)
  }

  /// Returns the recorded changes, in order.
  ///
  /// - Parameter head: The head of the stream that they are in; `nil` if it has no entry.
  fileprivate func systemEntries(upTo head: Head?) throws(AnnalsError) -> [RecordedChange] {
    guard let head else { return [] }
    var cursor = try EntryCursor(self, EntrySteps(in: SystemEntry.stream, head, oldest: 0, from: nil))
    var positions: [Position] = []
    while let entry = try cursor.next() { positions.append(entry.position) }
    var found: [RecordedChange] = []
    for position in positions {
      if let change = try systemEntry(at: position) { found.append(change) }
    }
    return found
  }
}

extension LogSnapshot {
  /// Returns the change that the entry at `position` records; `nil` for any other entry.
  package func systemEntry(at position: Position) throws(AnnalsError) -> RecordedChange? {
    try reader.systemEntry(at: position)
  }

  /// Returns the recorded changes, in order.
  package func systemEntries() throws(AnnalsError) -> [RecordedChange] {
    try reader.systemEntries(upTo: try head(of: SystemEntry.stream))
  }
}

extension Generation {
  /// Returns the changes that the log has recorded in this generation, whether or not it is in use, in order.
  package func systemEntries() throws(AnnalsError) -> [RecordedChange] {
    try read { (reader) throws(AnnalsError) in
      try reader.systemEntries(upTo: try head(of: SystemEntry.stream, reader))
    }
  }
}
