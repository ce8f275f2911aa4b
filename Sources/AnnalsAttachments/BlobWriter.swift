package import AnnalsCoding
internal import AnnalsLog
package import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Writes the content of an attachment in pieces.
///
/// A content from ``Attachment/inlineLimit`` bytes on goes to a file. The file gets its name, the hash, when
/// all of it is on disk.
package struct BlobWriter: ~Copyable {
  private let store: Directory
  /// Whether the store belongs to a cluster, whose events have their contents in themselves.
  private let isShared: Bool
  private var hash = SHA256()
  private var size: UInt64 = 0
  /// The content so far, while it may be one for the event itself.
  private var start: [UInt8] = []
  private var target: Target?

  /// The file that is being written. It is removed at the end, unless it has got another name by then.
  ///
  /// Not private: whatever drops a writer refers to this type, from other files too.
  struct Target: ~Copyable {
    let blobs: BlobDirectory
    let file: File

    deinit {
      // What stays is removed later, as after a kill.
      do throws(StoreFileError) { try blobs.directory.remove(file.name) } catch {}
    }
  }

  /// Creates a writer for the store in a directory.
  ///
  /// - Parameter isShared: Whether the store belongs to a cluster.
  package init(_ store: Directory, isShared: Bool = false) {
    self.store = store
    self.isShared = isShared
  }

  /// Adds the next piece of the content.
  package mutating func write(_ piece: Span<UInt8>) throws(AnnalsError) {
    if target == nil {
      guard start.count + piece.count >= Attachment.inlineLimit else {
        start += piece.copied
        return
      }
      if isShared { throw AnnalsError.tooLargeForCluster }
      try begin()
      let first = start
      start = []
      try put(first.span)
    }
    try put(piece)
  }

  /// Ends the content, which is durable then.
  ///
  /// - Returns: The attachment, for a field of an event.
  package consuming func finish() throws(AnnalsError) -> Attachment {
    if target == nil {
      guard let attachment = Attachment(inline: Data(start)) else {
        throw AnnalsError(.tooLarge, "a content in an event has less than \(Attachment.inlineLimit) bytes")
      }
      return attachment
    }
    guard let hash = ContentHash(hash.finalize()), let attachment = Attachment(size: size, hash: hash) else {
      throw AnnalsError(.tooLarge, "an attachment has at most \(FormatRange.maximum) bytes")
    }
    try Self.publish(target.take(), as: hash, size: size)
    return attachment
  }

  private mutating func begin() throws(AnnalsError) {
    let blobs = try BlobDirectory.create(in: store)
    let name = UUID.random().uuidString.lowercased() + BlobDirectory.unfinished
    target = Target(
      blobs: blobs, file: try files { () throws(StoreFileError) in try blobs.directory.create(name) })
  }

  private mutating func put(_ piece: Span<UInt8>) throws(AnnalsError) {
    let offset = Int(size)
    switch target {
    case .some(let target):
      try files { () throws(StoreFileError) in
        try target.file.write(piece, at: offset)
        // The disk is at work while the next piece is hashed.
        target.file.beginWriting()
      }
    case .none: return
    }
    hash.update(piece)
    size += UInt64(piece.count)
  }

  /// Makes a written file durable, and gives it its name, unless the store has the content.
  private static func publish(
    _ target: consuming Target?, as hash: ContentHash, size: UInt64
  ) throws(AnnalsError) {
    guard let target else { return }
    if try target.blobs.renew(hash, size: size) { return }
    let directory = target.blobs.directory
    do throws(StoreFileError) {
      try target.file.synchronize()
      let hold = try target.blobs.lock()
      try directory.setTime(of: target.file.name, to: nil)
      // Events may refer to a file of this name by now, so at no moment there is none. The other file has the
      // same content, or it is damaged.
      try directory.rename(target.file.name, replacing: BlobName.file(hash))
      _ = consume hold
      try directory.synchronize()
    } catch {
      guard case .missing(target.file.name) = error else { throw AnnalsError(error) }
      throw AnnalsError(
        .busy,
        "a migration pass, or 'discard-previous', has removed the content while it was attached: attach it again, and let passes keep unused contents for longer than an attachment takes (attachmentGrace)"
      )
    }
  }
}

extension AnnalsError {
  /// The error for a content that does not fit into an event of a cluster.
  package static var tooLargeForCluster: AnnalsError {
    AnnalsError(
      .tooLarge,
      "a store of a cluster takes attachments of less than \(Attachment.inlineLimit) bytes, which are in the event itself; larger contents are in files of one machine: keep them elsewhere, and their address and hash in the event; nothing was written"
    )
  }
}
