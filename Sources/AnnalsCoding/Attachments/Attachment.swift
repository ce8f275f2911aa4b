#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// Content that belongs to an event and may be large, such as a photo or a document.
///
/// It is a type for fields of records.
///
/// An event has only the size and the hash of the content. The content is in a file of the store, which equal
/// attachments share. Content below 4 KiB is in the event itself. A store makes an attachment of the content
/// before an event with it is appended.
///
/// A record declares it like any other field: `var photo: Attachment`.
///
/// ```swift
/// let photo = try store.attach(contentsOf: url)
/// try await store.append([.photoTaken(.init(title: "Harbour", photo: photo))], to: "album-1")
/// ```
public struct Attachment: Hashable, Sendable {
  /// The number of bytes from which content is stored in a file of its own.
  public static let inlineLimit = 4_096

  /// The size of the content in bytes.
  public let size: UInt64
  /// The hash of the content; `nil` if the content is in the event.
  public let hash: ContentHash?
  /// The content, if it is in the event.
  package let content: Data?

  /// Creates an attachment whose content is in the event; `nil` for content of ``inlineLimit`` bytes or more.
  public init?(inline content: Data) {
    guard content.count < Self.inlineLimit else { return nil }
    size = UInt64(content.count)
    hash = nil
    self.content = content
  }

  /// Creates an attachment whose content is in a file of the store.
  package init?(size: UInt64, hash: ContentHash) {
    guard size >= UInt64(Self.inlineLimit), size <= FormatRange.maximum else { return nil }
    self.size = size
    self.hash = hash
    content = nil
  }

  /// Creates an attachment from its stored parts; `nil` if they are no attachment.
  package init?(size: UInt64, hash: Data?, content: Data?) {
    switch (hash, content) {
    case (nil, let content?):
      self.init(inline: content)
      if size != self.size { return nil }
    case (let hash?, nil):
      guard let hash = ContentHash(hash) else { return nil }
      self.init(size: size, hash: hash)
    default: return nil
    }
  }

  /// Notes, for the encoder of an event, that the event refers to this attachment.
  package func note() {
    if let hash { AttachmentNotes.current?.note(hash) }
  }
}

extension Attachment: Codable {
  private enum Key: String, CodingKey {
    case size, hash, bytes
  }

  /// Reads an attachment of a record that is stored by name.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let size = try values.decode(UInt64.self, forKey: .size)
    let hash = try values.decodeIfPresent(Data.self, forKey: .hash)
    let content = try values.decodeIfPresent(Data.self, forKey: .bytes)
    guard let attachment = Attachment(size: size, hash: hash, content: content) else {
      throw DecodingError.dataCorrupted(
        .init(codingPath: decoder.codingPath, debugDescription: "size, hash and content do not agree"))
    }
    self = attachment
  }

  /// Writes the attachment of a record that is stored by name.
  public func encode(to encoder: any Encoder) throws {
    note()
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(size, forKey: .size)
    try values.encodeIfPresent(hash.map { Data($0.bytes) }, forKey: .hash)
    try values.encodeIfPresent(content, forKey: .bytes)
  }
}
