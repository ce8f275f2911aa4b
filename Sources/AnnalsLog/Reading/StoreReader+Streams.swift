package import AnnalsCoding
package import AnnalsFormat

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension StoreReader {
  /// Where the stream called `name` begins, as `streams` has it; `nil` if it has no row.
  package func storedID(of name: StreamName) throws(AnnalsError) -> Position? {
    let row = try row(name.text, in: tables.streams) { (bytes) throws(FormatFailure) in try StreamRow(bytes) }
    guard let row, row.state == .live else { return nil }
    return row.id
  }

  /// The head of the stream called `name`, as the rows have it; `nil` where they have none.
  func storedHead(of name: StreamName) throws(AnnalsError) -> Head? {
    try storedID(of: name).map { (id) throws(AnnalsError) in try storedHead(id: id) }
  }

  /// The head of the stream whose first entry is at `id`, as its row has it, which must be there.
  package func storedHead(id: Position) throws(AnnalsError) -> Head {
    let head = try row(id.rawValue, in: tables.heads) { (bytes) throws(FormatFailure) in
      try Head(id: id, bytes)
    }
    guard let head else {
      throw AnnalsError(
        .damaged, "table 'heads', key \(id): the row is missing; run 'annals verify'",
        details: AnnalsError.Details {
          $0.table = "heads"
          $0.place = "table 'heads', key \(id)"
          $0.problem = "the row is missing"
        })
    }
    return head
  }

  /// The name of the stream whose first entry is at `id`.
  package func name(of id: Position) throws(AnnalsError) -> StreamName {
    let bytes = try bytes(at: id)
    return try name(in: bytes, header(bytes, at: id), at: id)
  }

  /// The name in a stream's first entry.
  package func name(
    in bytes: Span<UInt8>, _ header: EntryHeader, at id: Position
  ) throws(AnnalsError) -> StreamName {
    StreamName(String(copying: try text(in: bytes, header, at: id)))
  }

  /// Lends the name of the stream whose first entry is at `id` to `body`.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` and the position, if no stream begins there.
  func withName<Result>(of id: Position, _ body: (UTF8Span) -> Result) throws(AnnalsError) -> Result {
    let bytes = try bytes(at: id)
    return body(try text(in: bytes, header(bytes, at: id), at: id))
  }

  /// The text of the name in a stream's first entry.
  @_lifetime(copy bytes)
  private func text(
    in bytes: Span<UInt8>, _ header: EntryHeader, at id: Position
  ) throws(AnnalsError) -> UTF8Span {
    guard header.flags.contains(.first) else {
      throw AnnalsError(
        wrongEntry: id, expected: "a stream's first entry", found: "revision \(header.revision)")
    }
    do {
      return try UTF8Span(validating: bytes.extracting(header.name))
    } catch {
      throw AnnalsError(
        FormatFailure(.text, at: header.name.lowerBound), place: "position \(id)", position: id)
    }
  }

  /// Returns the position of a stream's entry with `revision`, found through guesses and links from the head.
  ///
  /// - Parameter touched: Counts the entries that were read on the way.
  /// - Complexity: At most three entries a level, that is 3 · log₄ of the head's revision. In a stream with
  ///   an eighth of the entries around it, at most 32 neighbours more. None within a run of entries that
  ///   follow each other in the log.
  package func position(
    of revision: Revision, from head: Head, touched: inout Int
  ) throws(AnnalsError) -> Position {
    var search = RevisionSearch(for: revision, from: head)
    try search.run(self)
    touched += search.touched
    return search.position
  }

  /// Returns the target of a level's link in the entry at `position`.
  package func linked(
    _ header: EntryHeader, level: Int, from position: Position, in bytes: Span<UInt8>
  ) throws(AnnalsError) -> Position {
    do { return try header.linked(level: level, from: position, in: bytes) } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
  }

  /// Throws `.damaged` unless the entry is the one of a stream that a head or link says it is.
  package func check(
    _ header: EntryHeader, at position: Position, is revision: Revision, of stream: Position
  ) throws(AnnalsError) {
    guard header.revision == revision, header.stream == stream else {
      throw AnnalsError(
        wrongEntry: position, expected: "revision \(revision) of the stream that begins at \(stream)",
        found: "revision \(header.revision) of the one at \(header.stream)")
    }
  }

  /// Returns the positions of the entries with `revisions`, oldest first, each with the value that `read`
  /// takes from it.
  package func walk<Value>(
    _ revisions: ClosedRange<UInt64>, of head: Head, touched: inout Int,
    _ read: (Span<UInt8>, EntryHeader, Position) throws(AnnalsError) -> Value
  ) throws(AnnalsError) -> [Value] {
    var position = try position(of: Revision(revisions.upperBound), from: head, touched: &touched)
    var values: [Value] = []
    for revision in revisions.reversed() {
      touched += 1
      let bytes = try bytes(at: position)
      let header = try header(bytes, at: position)
      try check(header, at: position, is: Revision(revision), of: head.id)
      values.append(try read(bytes, header, position))
      if revision > revisions.lowerBound {
        position = try linked(header, level: 0, from: position, in: bytes)
      }
    }
    values.reverse()
    return values
  }
}
