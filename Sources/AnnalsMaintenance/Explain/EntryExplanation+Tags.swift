public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

extension EntryExplanation {
  /// A tag of the entry, and its place in the chain of the entries that have the tag.
  public struct Tag: Hashable, Sendable {
    /// The tag; `nil` in an erased entry, which keeps only the links of its tags.
    public let tag: EventTag?
    /// The number of entries before it in the chain. A pass leaves out erased ones.
    public let ordinal: UInt64
    /// The position of the entry before it in the chain; `nil` for the first one.
    public let previous: Position?
  }
}

extension EntryExplaining {
  /// The tags of an entry, in the order of their bytes.
  static func tags(of entry: borrowing LentEntry) throws(AnnalsError) -> [EntryExplanation.Tag] {
    let (bytes, position) = (entry.bytes, entry.position)
    var stored: [StoredTag] = []
    var tags: [EntryExplanation.Tag] = []
    do throws(FormatFailure) {
      try entry.header.eachTag(in: bytes, at: position) { tag in
        stored.append(tag)
        return true
      }
      for tag in stored {
        tags.append(
          EntryExplanation.Tag(
            tag: tag.chain == nil ? EventTag(try bytes.text(in: tag.text)) : nil, ordinal: tag.ordinal,
            previous: tag.ordinal == 0
              ? nil : Position(try tag.linked(level: 0, from: position.rawValue, in: bytes))))
      }
    } catch {
      throw AnnalsError(error, place: "position \(position)", position: position)
    }
    return tags
  }
}

extension EntryExplanation.Tag: CustomStringConvertible {
  /// The tag and its place in words.
  public var description: String {
    let name = tag?.text ?? "erased"
    guard let previous else { return "\(name), the first" }
    return "\(name), number \(ordinal) from 0, after position \(previous)"
  }
}
