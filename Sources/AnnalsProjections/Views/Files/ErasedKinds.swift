package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
internal import AnnalsShapes

/// The entries that are to be erased, by the types of their events.
package struct ErasedKinds {
  /// The positions by kind, ascending. An entry with several events is in several lists.
  private var positions: [UInt32: [UInt64]] = [:]
  private let kinds: KindRegistry

  /// Looks up the types of some entries.
  ///
  /// - Parameter positions: Ascending positions. Those without an entry are left out, as the commit refuses
  ///   them.
  package init(
    _ positions: [Position], _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) {
    kinds = snapshot.kinds
    let last = try snapshot.reader.last()
    for position in positions where position.rawValue > 0 && position.rawValue <= last {
      let reader = snapshot.reader
      for kind in try reader.kinds(at: position) {
        self.positions[kind, default: []].append(position.rawValue)
      }
    }
  }

  /// The positions of the entries with an event of certain types.
  package func positions(
    where isMeant: (SchemaVersion?, ExactText) -> Bool
  ) -> PositionRanges {
    var found: [Position] = []
    for (number, positions) in positions {
      // A kind that the store does not know is damage, which others report.
      guard let kind = kinds.kinds[number] else { continue }
      if isMeant(kind.version, ExactText(kind.row.name)) { found += positions.map { Position($0) } }
    }
    return PositionRanges(found)
  }
}

extension StoreReader {
  /// The kinds of the events of an entry; none of a system entry.
  fileprivate func kinds(at position: Position) throws(AnnalsError) -> Set<UInt32> {
    let stored = try bytes(at: position)
    let entry = try lend(stored, at: position)
    if entry.header.isSystem { return [] }
    guard entry.header.kind == 0 else { return [entry.header.kind] }
    var kinds: Set<UInt32> = []
    try entry.eachPart { (kind, _, _) in kinds.insert(kind) }
    return kinds
  }

  /// The place that an erased entry has always had in its stream; `nil` if the entry at `position` is not
  /// erased, or a pass may have changed stream, name or revision since somebody read it.
  package func erasedEntry(
    at position: Position
  ) throws(AnnalsError) -> (stream: StreamName, revision: Revision)? {
    let stored = try bytes(at: position)
    let entry = try lend(stored, at: position)
    guard entry.header.flags.contains(.stub), try entry.erasedMark != nil,
      try regrouped().map({ position > $0 }) ?? true
    else { return nil }
    let (id, name) = (entry.header.stream, try name(of: entry.header.stream))
    let isGiven = name == SystemEntry.placeholder(of: id) || name == SystemEntry.lostName(of: id)
    return isGiven ? nil : (name, entry.header.revision)
  }
}
