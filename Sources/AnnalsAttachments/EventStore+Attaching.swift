public import AnnalsCoding
internal import AnnalsLog
public import AnnalsStore

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

// Making attachments, and reading their contents.
extension EventStore {
  /// Makes an attachment of a content. See ``EventLog/attach(_:)-(Data)``.
  public func attach(_ content: Data) throws(AnnalsError) -> Attachment { try log.attach(content) }

  /// Makes an attachment of the content of a file. See ``EventLog/attach(contentsOf:)``.
  public func attach(contentsOf url: URL) throws(AnnalsError) -> Attachment {
    try log.attach(contentsOf: url)
  }

  /// Makes an attachment of a content that comes in pieces. See ``EventLog/attach(_:)-(()->Data?)``.
  public func attach(_ next: () -> Data?) throws(AnnalsError) -> Attachment { try log.attach(next) }

  /// Returns the content of an attachment. See ``EventLog/content(of:limit:)``.
  public func content(of attachment: Attachment, limit: Int = 1 << 30) throws(AnnalsError) -> Data {
    try log.content(of: attachment, limit: limit)
  }

  /// Reads the content of an attachment in pieces. See ``EventLog/read(_:_:)``.
  public func read(_ attachment: Attachment, _ body: (Data) -> Void) throws(AnnalsError) {
    try log.read(attachment, body)
  }
}
