internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

// The check of an entry's place in its stream.
extension EntryCheck {
  /// The problem of a stream's row that is missing or leads elsewhere.
  static var rowElsewhere: String { "table 'streams' does not lead from the stream's name to here" }

  /// Checks an entry's own data about its stream.
  ///
  /// - Returns: For the first entry of a stream before the tail the name, which `streams` must have.
  mutating func checkStream(
    _ bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position
  ) -> StreamHash? {
    let isInTail = position.rawValue > checkpoint
    if isInTail, tail[header.stream.rawValue] == nil {
      tail[header.stream.rawValue] = header.revision.rawValue
    }
    guard header.flags.contains(.first) else { return nil }
    firsts += 1
    if isInTail { births += 1 }
    let name: String
    do throws(FormatFailure) { name = try bytes.text(in: header.name) } catch {
      report.add(
        AnnalsError(error, place: "position \(position)", position: position), place: "position \(position)",
        position: position)
      return nil
    }
    guard NameRule.allows(name) else {
      add(position, "the stream's name is not allowed")
      return nil
    }
    guard isInTail else { return StreamHash(name.utf8.span) }
    lookUps += 1
    do throws(AnnalsError) {
      let stored = try reader.storedID(of: StreamName(name))
      if stored == nil { rowless += 1 }
      if let stored, stored != position { add(position, Self.rowElsewhere, .rebuild) }
    } catch {
      report.add(error, place: "position \(position)", position: position)
    }
    return nil
  }

  /// Returns the targets of an entry's links; 0 for one that cannot be read, which is reported.
  mutating func links(in bytes: Span<UInt8>, _ header: EntryHeader, _ position: Position) -> EntryLinks {
    var links = EntryLinks()
    for level in 0..<Head.levels(dividing: header.revision) {
      guard Head.step(ofLevel: level) <= header.revision.rawValue else { break }
      do throws(FormatFailure) {
        links.append(try header.linked(level: level, from: position, in: bytes).rawValue)
      } catch {
        links.append(0)
        add(position, error.description)
      }
    }
    return links
  }

  /// Queues an entry for the trails, which follow several at a time.
  mutating func pass(_ entry: PassedEntry) {
    passed.append(entry)
    if passed.count == PassedEntry.run { follow() }
  }

  /// Advances the trails to the queued entries, and compares their links.
  mutating func follow() {
    for entry in passed { trails.prefetchIndex(entry.stream) }
    for entry in passed { trails.prefetchTrail(entry.stream) }
    for entry in passed {
      checkLinks(entry, trails.advance(to: entry))
      if entry.hasID, entry.position.rawValue <= checkpoint { checkNewestID(entry) }
    }
    passed.removeAll(keepingCapacity: true)
  }

  /// Compares the targets of an entry's links with the expected ones.
  private mutating func checkLinks(_ entry: PassedEntry, _ targets: EntryLinks) {
    for level in 0..<entry.links.count {
      let target = entry.links[level]
      // The entry there has been read, and was the expected one.
      if target == 0 || target == targets[level] { continue }
      let revision = Revision(entry.revision.rawValue - Head.step(ofLevel: level))
      checkTarget(Position(target), revision, entry)
    }
  }

  private mutating func checkTarget(_ target: Position, _ revision: Revision, _ entry: PassedEntry) {
    lookUps += 1
    do throws(AnnalsError) {
      let found = try reader.header(try reader.bytes(at: target), at: target)
      guard found.revision == revision, found.stream == entry.stream else {
        return add(
          entry.position,
          "a link leads to position \(target), which is not revision \(revision) of the same stream")
      }
    } catch {
      add(entry.position, "a link leads to position \(target), which cannot be read")
    }
  }

  /// Compares an entry that has an event id with the newest id in the row of `heads`.
  private mutating func checkNewestID(_ entry: PassedEntry) {
    do throws(AnnalsError) {
      if try newestID(of: entry.stream) <= entry.revision.rawValue {
        add(entry.position, "table 'heads' says that the stream's newest event id is older", .rebuild)
      }
    } catch {
      report.add(error, place: "position \(entry.position)", position: entry.position)
    }
  }

  /// Returns a stream's newest id in the row of `heads`: its revision plus 1, or 0 for none.
  private mutating func newestID(of stream: Position) throws(AnnalsError) -> UInt64 {
    if let known = trails.storedID(of: stream) { return known }
    lookUps += 1
    let newest = try reader.storedHead(id: stream).newestID
    trails.remember(storedID: newest, of: stream)
    return newest.map { $0.rawValue + 1 } ?? 0
  }
}
