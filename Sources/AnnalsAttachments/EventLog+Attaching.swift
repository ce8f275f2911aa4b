public import AnnalsCoding
public import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Making attachments, and reading their contents.
extension EventLog {
  /// Makes an attachment of a content, for a field of an event that is appended afterwards.
  ///
  /// The content is durable on return. It is stored once, even if it is attached again. A content to which no
  /// event refers is removed by a later pass, after a day by default (``MigrationOptions/attachmentGrace``).
  ///
  /// - Parameter content: The content.
  /// - Throws: ``AnnalsError`` with code `readOnly`, `diskFull`, `permission` or `inputOutput`; `tooLarge` on a
  ///   member of a cluster from ``Attachment/inlineLimit`` bytes on.
  /// - Complexity: O(content), and two flushes to disk from ``Attachment/inlineLimit`` bytes on.
  public func attach(_ content: Data) throws(AnnalsError) -> Attachment {
    var writer = try writer()
    let bytes = content.span
    for start in stride(from: 0, to: bytes.count, by: BlobReader.piece) {
      try writer.write(bytes.extracting(start..<min(start + BlobReader.piece, bytes.count)))
    }
    return try writer.finish()
  }

  /// Makes an attachment of the content of a file, in pieces. See ``attach(_:)-(Data)``.
  ///
  /// - Parameter url: The file, which does not change meanwhile.
  /// - Throws: As ``attach(_:)-(Data)``, and `inputOutput` or `permission` for the file, which must be a
  ///   regular one.
  public func attach(contentsOf url: URL) throws(AnnalsError) -> Attachment {
    var path = try url.exactPath()
    // A URL that was made for a directory names a file as well.
    while path.count > 1, path.last == UInt8(ascii: "/") { path.removeLast() }
    let file = try Self.file(at: path)
    var writer = try writer()
    var bytes = [UInt8](repeating: 0, count: BlobReader.piece)
    var offset = 0
    while true {
      var span = bytes.mutableSpan
      let count = try files { () throws(StoreFileError) in try file.read(into: &span, at: offset) }
      guard count > 0 else { return try writer.finish() }
      try writer.write(bytes.span.extracting(first: count))
      offset += count
    }
  }

  private static func file(at path: [UInt8]) throws(AnnalsError) -> File {
    let name: String
    let problem: String
    do throws(StoreFileError) { return try File.open(path: path) } catch .missing(let file) {
      (name, problem) = (file, "there is no file '\(file)'")
    } catch .notRegular(let file) {
      name = file
      problem = "'\(file)' is no regular file but a directory, a pipe or the like; attach a regular file"
    } catch {
      throw AnnalsError(error)
    }
    throw AnnalsError(.inputOutput, problem, details: AnnalsError.Details { $0.file = name })
  }

  /// Makes an attachment of a content that comes in pieces. See ``attach(_:)-(Data)``.
  ///
  /// - Parameter next: Returns the next piece; `nil` at the end.
  /// - Throws: As ``attach(_:)-(Data)``.
  public func attach(_ next: () -> Data?) throws(AnnalsError) -> Attachment {
    var writer = try writer()
    while let piece = next() {
      try writer.write(piece.span)
    }
    return try writer.finish()
  }

  /// Returns the content of an attachment.
  ///
  /// - Parameters:
  ///   - attachment: An attachment of an event of the store.
  ///   - limit: The most bytes that it may have.
  /// - Throws: ``AnnalsError`` with code `tooLarge` beyond the limit, `missingAttachment`, `damaged` if the
  ///   content differs from its hash, `permission` or `inputOutput`.
  public func content(of attachment: Attachment, limit: Int = 1 << 30) throws(AnnalsError) -> Data {
    guard attachment.size <= UInt64(max(limit, 0)) else {
      throw AnnalsError(
        .tooLarge,
        "an attachment has \(attachment.size) bytes, and at most \(limit) are wanted; read it in pieces")
    }
    var content = Data()
    content.reserveCapacity(Int(attachment.size))
    try read(attachment) { content.append($0) }
    return content
  }

  /// Reads the content of an attachment in pieces.
  ///
  /// - Parameters:
  ///   - attachment: An attachment of an event of the store.
  ///   - body: Receives the pieces in order. The last one comes only if the whole content has its hash, so a
  ///     read that ends without an error has delivered what was attached.
  /// - Throws: As ``content(of:limit:)`` except `tooLarge`.
  public func read(_ attachment: Attachment, _ body: (Data) -> Void) throws(AnnalsError) {
    guard let hash = attachment.hash else {
      if let content = attachment.content, !content.isEmpty { body(content) }
      return
    }
    let blobs = try BlobDirectory.open(in: core.generation.directory)
    var reader = try BlobReader(hash, size: attachment.size, in: blobs)
    while let piece = try reader.next() { body(Data(piece)) }
  }

  private func writer() throws(AnnalsError) -> BlobWriter {
    guard options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    return BlobWriter(core.generation.directory, isShared: options.sequencer != nil)
  }
}
