internal import AnnalsCoding

// The values and the row of a head.
extension HeadSlots {
  /// The head as a value, which must be whole.
  package func head(_ slot: Int) -> Head {
    let newest = newestID(slot)
    return Head(
      id: Position(id(slot)), revision: Revision(revision(slot)), last: Position(last(slot)),
      levels: levels(slot).map { Position($0) }, newestID: newest == 0 ? nil : Revision(newest - 1))
  }

  /// Returns the end of the stream of a head, which must be whole.
  package func end(_ slot: Int) -> StreamEnd {
    let newest = newestID(slot)
    return StreamEnd(
      id: Position(id(slot)), revision: Revision(revision(slot)), last: Position(last(slot)),
      newestID: newest == 0 ? nil : Revision(newest - 1))
  }

  /// Returns the known part of a head as a value.
  package func partialHead(_ slot: Int) -> PartialHead {
    let newest = newestID(slot)
    return PartialHead(
      id: Position(id(slot)), revision: Revision(revision(slot)), last: Position(last(slot)),
      levels: levels(slot), newestID: newest == Self.unknownID ? nil : newest)
  }

  /// Appends the row of a head, which must be whole.
  package func encode(_ slot: Int, into bytes: inout [UInt8]) {
    let revision = revision(slot)
    Head.encode(
      revision: revision, last: last(slot), newestID: newestID(slot),
      levels: Head.levels(upTo: Revision(revision)), level: { level(slot, $0) }, into: &bytes)
  }
}
