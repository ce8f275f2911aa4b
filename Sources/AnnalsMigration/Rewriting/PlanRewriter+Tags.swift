internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore

extension PlanRewriter {
  /// Returns the tags that the rules give an entry, and notes whether they differ from the stored ones.
  ///
  /// - Throws: ``RewriteFailure`` that always stops the pass: an entry whose tags cannot be stored can be
  ///   read, so that it is not quarantined.
  func newTags(
    of entry: borrowing LentEntry, _ reader: StoreReader
  ) throws(RewriteFailure) -> [EventTag]? {
    do throws(AnnalsError) {
      guard let tags = try retagger?.tags(of: entry, reader) else { return nil }
      hasNewTags = try tags != entry.tags
      return tags
    } catch {
      throw RewriteFailure(error)
    }
  }

  /// Returns the extensions of an entry with other tags and attachments, and without a mark of quarantine.
  ///
  /// - Parameter tags: The tags; `nil` if they stay.
  /// - Returns: `nil` if all extensions stay.
  func newExtensions(
    of entry: borrowing LentEntry, _ tags: [EventTag]?, isQuarantined: Bool
  ) throws(RewriteFailure) -> [UInt8]? {
    do throws(AnnalsError) {
      let attachments = try newAttachments(of: entry)
      guard tags != nil || attachments != nil || isQuarantined else { return nil }
      var extensions = try entry.layout { () throws(FormatFailure) in
        try EntryExtensions(entry.bytes, entry.header)
      }
      if let tags { extensions.set(tags) }
      if let attachments { extensions[AttachmentList.key] = AttachmentList(attachments).value }
      extensions[QuarantineMark.key] = nil
      return extensions.encoded()
    } catch {
      throw RewriteFailure(error)
    }
  }
}
