internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog

extension EntryExtensions {
  /// Replaces the tags.
  ///
  /// They have no links yet, because only the writer of the generation knows the entries before this one.
  ///
  /// - Parameter tags: The tags in the order of their bytes, each once.
  mutating func set(_ tags: [EventTag]) {
    var list = TagListDraft()
    for tag in tags { list.add(tag.text.utf8.span, ordinal: 0, EntryLinks()) }
    self[TagList.key] = list.count > 0 ? list.value : nil
  }
}

extension [EventTag] {
  /// A checksum of the texts of these tags, as ``LentEntry/tagDigest`` has it of stored ones; `nil` for none.
  var digest: UInt64? {
    var texts: [UInt8] = []
    for tag in self {
      texts.append(contentsOf: tag.text.utf8)
      texts.append(0)
    }
    return texts.isEmpty ? nil : UInt64(Checksum.crc32c(texts.span)) << 1
  }
}
