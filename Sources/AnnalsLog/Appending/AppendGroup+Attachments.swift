package import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

/// The names of the files with the contents of attachments.
package enum BlobName {
  /// The directory, inside that of the store.
  package static let directory = "blobs"

  /// The name of the file with a content.
  package static func file(_ hash: ContentHash) -> String { hash.description }
}

extension AppendGroup {
  /// Returns an attachment of the call whose content is not in the store; `nil` if all contents are.
  ///
  /// Contents are removed only by a holder of the turn at writing, so they stay until the commit.
  func missingAttachment(of request: AppendRequest) throws(AnnalsError) -> ContentHash? {
    guard !request.attachments.isEmpty else { return nil }
    let blobs = try files { () throws(StoreFileError) -> Directory? in
      do throws(StoreFileError) { return try directory.directory(BlobName.directory) } catch .missing {
        return nil
      }
    }
    guard let blobs else { return request.attachments.min() }
    for hash in request.attachments.sorted() {
      let status = try files { () throws(StoreFileError) in try blobs.status(of: BlobName.file(hash)) }
      if status == nil { return hash }
    }
    return nil
  }

  /// Makes attachments known to all programs before the first one.
  mutating func beginAttachments(in transaction: inout WriteTransaction) throws(AnnalsError) {
    if kinds.hasAttachments { return }
    try raiseEpoch()
    kinds.hasAttachments = true
    try transaction.require(.attachments, tables)
  }
}

extension AnnalsError {
  /// The error for an attachment whose content is not in the store.
  package init(missingAttachment hash: ContentHash) {
    self.init(
      .missingAttachment,
      """
      the content of attachment \(hash) is not in 'blobs': attach it to this store before an event refers to \
      it, or restore the file from a backup
      """)
  }
}
