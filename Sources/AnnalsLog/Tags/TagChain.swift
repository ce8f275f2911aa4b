package import AnnalsCoding
package import AnnalsFormat
internal import LMDB

/// The entries that have one tag, from the newest back, in one snapshot or transaction.
package struct TagChain: Sendable {
  /// The place of an entry in the chain.
  package struct Place: Equatable, Sendable {
    package var ordinal: UInt64
    package var position: UInt64
  }

  package let tag: EventTag
  package let head: TagHead

  package init(tag: EventTag, head: TagHead) {
    self.tag = tag
    self.head = head
  }

  /// The newest entry.
  package var newest: Place { Place(ordinal: head.ordinal, position: head.last) }

  /// The tag in the entry at a place of the chain.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged` if the entry is not the one that a link leads to.
  package func stored(
    in bytes: Span<UInt8>, _ header: EntryHeader, at place: Place
  ) throws(AnnalsError) -> StoredTag {
    let position = Position(place.position)
    var found: StoredTag?
    let text = tag.text.utf8.span
    do throws(FormatFailure) {
      try header.eachTag(in: bytes, at: position) { stored in
        let isSame =
          if let chain = stored.chain { chain == head.chain } else {
            bytes.extracting(stored.text).isEqual(to: text)
          }
        if isSame { found = stored }
        return !isSame
      }
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    guard let found, found.ordinal == place.ordinal else {
      throw AnnalsError(
        wrongEntry: position, expected: name(of: place.ordinal),
        found: found.map { "entry \($0.ordinal) with it" } ?? "an entry without it")
    }
    return found
  }
}

extension StoreReader {
  /// Returns the place before one of a chain, which is not its first.
  package func place(before place: TagChain.Place, of chain: TagChain) throws(AnnalsError) -> TagChain.Place {
    let bytes = try bytes(at: Position(place.position))
    let header = try header(bytes, at: Position(place.position))
    let tag = try chain.stored(in: bytes, header, at: place)
    return TagChain.Place(
      ordinal: place.ordinal - 1, position: try linked(tag, level: 0, from: place.position, in: bytes))
  }

  /// Returns the oldest place of a chain that is wanted; `nil` if the newest one is not.
  ///
  /// - Parameter isWanted: Whether a place is wanted; if it is, all newer ones must be.
  /// - Complexity: At most three entries a level, that is 3 · log₄ of the length of the chain; none within a
  ///   run of entries that follow each other in the log.
  package func first(
    of chain: TagChain, where isWanted: (TagChain.Place) -> Bool
  ) throws(AnnalsError) -> TagChain.Place? {
    let head = chain.head
    var at = chain.newest
    guard isWanted(at) else { return nil }
    var lower = TagChain.Place(ordinal: 0, position: head.chain.first)
    if isWanted(lower) { return lower }
    for level in stride(from: head.levels.count, to: 0, by: -1) {
      let multiple = TagChain.Place(
        ordinal: head.ordinal - head.ordinal % Head.step(ofLevel: level),
        position: head.newest(atLevel: level))
      if isWanted(multiple) {
        at = multiple
        break
      }
      lower = multiple
    }
    // Always: `at` is wanted, and `lower` is not.
    while at.ordinal - lower.ordinal > 1 {
      if at.position &- lower.position == at.ordinal - lower.ordinal {
        return Self.bisect(lower, at, isWanted)
      }
      let bytes = try bytes(at: Position(at.position))
      let header = try header(bytes, at: Position(at.position))
      let tag = try chain.stored(in: bytes, header, at: at)
      let before = at
      for level in stride(from: Head.levels(dividing: Revision(at.ordinal)) - 1, through: 0, by: -1) {
        let step = Head.step(ofLevel: level)
        guard before.ordinal - lower.ordinal > step else { continue }
        let target = TagChain.Place(
          ordinal: before.ordinal - step,
          position: try linked(tag, level: level, from: before.position, in: bytes))
        if isWanted(target) {
          at = target
          break
        }
        lower = target
      }
    }
    return at
  }

  /// The oldest wanted place between two, where every entry between them has the tag.
  private static func bisect(
    _ lower: TagChain.Place, _ upper: TagChain.Place, _ isWanted: (TagChain.Place) -> Bool
  ) -> TagChain.Place {
    func place(_ ordinal: UInt64) -> TagChain.Place {
      TagChain.Place(ordinal: ordinal, position: upper.position - (upper.ordinal - ordinal))
    }
    var (low, high) = (lower.ordinal, upper.ordinal)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if isWanted(place(middle)) { high = middle } else { low = middle }
    }
    return place(high)
  }

  private func linked(
    _ tag: StoredTag, level: Int, from position: UInt64, in bytes: Span<UInt8>
  ) throws(AnnalsError) -> UInt64 {
    do { return try tag.linked(level: level, from: position, in: bytes) } catch {
      throw AnnalsError(error, place: "position \(position)", position: Position(position))
    }
  }
}
