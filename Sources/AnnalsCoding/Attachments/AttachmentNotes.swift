internal import Synchronization

/// The attachments that an event refers to, noted while it is encoded.
///
/// The code that encodes a record is the user's, or follows from the record. It has no place for anything but
/// bytes, so the notes are a value of the task.
package final class AttachmentNotes: Sendable {
  /// The notes of the event that is being encoded; `nil` if nobody asks.
  @TaskLocal package static var current: AttachmentNotes?

  private let found = Mutex<Set<ContentHash>>([])

  package init() {}

  /// Notes an attachment.
  func note(_ hash: ContentHash) {
    found.withLock { _ = $0.insert(hash) }
  }

  /// The hashes of all noted attachments, in their order.
  package var hashes: [ContentHash] { found.withLock { $0.sorted() } }
}
