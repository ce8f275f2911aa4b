public import AnnalsCoding

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension Attachment: StoredValue {
  /// The fields in which an attachment is stored.
  package static let fields = [
    FieldShape("size", .integer(.uint64)), FieldShape("hash", .optional(.bytes)),
    FieldShape("bytes", .optional(.bytes)),
  ]

  /// A record of the size, the hash (`nil` if the content is in the event) and the content (`nil` if not).
  public static func shape(in types: inout ShapeTypes) -> ValueShape {
    types.record(Self.self) { _ in fields }
  }

  /// Reads an attachment.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    let start = reader.offset
    try reader.begin(3)
    let size: UInt64 = try reader.field()
    let hash: Data? = try reader.field()
    let content: Data? = try reader.field()
    reader.leave()
    guard let attachment = Attachment(size: size, hash: hash, content: content) else {
      throw CodingFailure(.refused, at: start, detail: "size, hash and content of an attachment disagree")
    }
    self = attachment
  }

  /// Writes the attachment.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    note()
    try writer.begin(3)
    try writer.field(size)
    try writer.field(hash.map { Data($0.bytes) })
    try writer.field(content)
    writer.leave()
  }
}

extension ValueShape {
  /// Whether values of the shape may contain attachments: it has the fields of one, or code of its own.
  package var mayContainAttachments: Bool {
    switch self {
    case .codable: true
    case .optional(let shape), .list(let shape), .set(let shape): shape.mayContainAttachments
    case .map(let key, let value): key.mayContainAttachments || value.mayContainAttachments
    case .record(let fields):
      fields == Attachment.fields || fields.contains { $0.shape.mayContainAttachments }
    case .choice(let cases): cases.contains { $0.values.contains { $0.shape.mayContainAttachments } }
    default: false
    }
  }
}
