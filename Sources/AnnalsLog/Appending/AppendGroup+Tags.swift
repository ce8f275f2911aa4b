internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

// The tags of events.
extension AppendGroup {
  /// Makes tags known to all programs before the first one.
  mutating func beginTags(in transaction: inout WriteTransaction) throws(AnnalsError) {
    if kinds.hasTags { return }
    // Not the schema epoch: a pass goes on, and others look for the requirement until the store has it.
    kinds.hasTags = true
    try transaction.require(.tags, tables)
  }

  /// Finds the heads of the tags of a call, which is about to be stored.
  mutating func findTags(
    of request: AppendRequest, _ transaction: borrowing WriteTransaction
  ) throws(AnnalsError) {
    guard let table = generation.environment.tags else { throw AnnalsError.missingTags }
    try tags.find(request.tags.span, &tagSlots, in: table, StoreReader(transaction.view, tables))
  }

  /// Returns the extensions of an event with tags, which is about to be stored at ``last``.
  ///
  /// - Parameters:
  ///   - places: The places of its tags.
  ///   - others: Its other extensions.
  mutating func extensions(
    _ places: Range<Int>, after others: [UInt8], in request: AppendRequest
  ) throws(AnnalsError) -> [UInt8] {
    let tagged = request.tags.span
    tagList.removeAll()
    for place in places {
      tags.prefetch(after: place, of: tagSlots)
      let (ordinal, links) = try tags.extend(
        tagSlots[place], to: last, index: place - places.lowerBound)
      tagList.add(tagged[place].tag.text.utf8.span, ordinal: ordinal, links)
    }
    var extensions: [UInt8] = []
    swap(&extensions, &spareExtensions)
    tagList.write(after: others, to: &extensions)
    return extensions
  }

  /// Returns the extensions that an erased entry keeps: the links of its tags, without their texts.
  func erasedExtensions(
    _ bytes: Span<UInt8>, _ header: EntryHeader, at position: Position, _ reader: StoreReader
  ) throws(AnnalsError) -> [UInt8] {
    guard header.flags.contains(.extensions) else { return [] }
    var stored: [StoredTag] = []
    do throws(FormatFailure) {
      try header.eachTag(in: bytes, at: position) { tag in
        stored.append(tag)
        return true
      }
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    var list = TagListDraft()
    for tag in stored {
      guard let chain = try chain(of: tag, in: bytes, at: position, reader) else { continue }
      var links = EntryLinks()
      for level in 0..<Head.levels(dividing: Revision(tag.ordinal)) {
        do throws(FormatFailure) {
          let target = try tag.linked(level: level, from: position.rawValue, in: bytes)
          links.append(position.rawValue - target)
        } catch {
          throw AnnalsError(error, place: "position \(position)", position: position)
        }
      }
      list.add(Span(), chain: chain, ordinal: tag.ordinal, links)
    }
    guard list.count > 0 else { return [] }
    var extensions: [UInt8] = []
    list.write(after: [], to: &extensions)
    return extensions
  }

  /// The chain of a stored tag; `nil` if the store has no row for the tag, so that nothing leads here.
  private func chain(
    of tag: StoredTag, in bytes: Span<UInt8>, at position: Position, _ reader: StoreReader
  ) throws(AnnalsError) -> TagChainID? {
    if let chain = tag.chain { return chain }
    let text: EventTag
    do throws(FormatFailure) { text = EventTag(try bytes.text(in: tag.text)) } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    let hash = StreamHash(text.text.utf8.span)
    return try tags.head(of: text, hash, in: generation.environment.tags, reader)?.chain
  }
}
