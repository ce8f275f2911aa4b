internal import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Makes the payload of an event from a row.
struct RowPayload {
  let entity: MappedEntity
  let file: SwiftDataFile
  let log: EventLog

  /// A payload with the attachments that it refers to.
  struct Result {
    let payload: Payload
    let attachments: [Attachment]
  }

  /// Returns the payload with the primary key alone.
  func key(_ key: Int64) throws(AnnalsError) -> Payload {
    try Payload(.map([.init(.text(entity.mapping.key), CBOR(Int(key)))]))
  }

  /// Returns the payload with all values of a row. Contents of attachments are stored.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` for a value of another type than the mapping's,
  ///   `incomplete` for a missing external content, and the errors of attaching.
  func all(of row: SourceRow) throws(AnnalsError) -> Result {
    var pairs: [CBOR.Pair] = [.init(.text(entity.mapping.key), CBOR(Int(row.key)))]
    var attachments: [Attachment] = []
    for (index, field) in entity.columns.enumerated() {
      let value = row.values[index]
      if value == .null {
        guard field.optional else { throw wrong(value, field, row, "make it optional") }
        continue
      }
      let converted: CBOR?
      if field.external == true {
        converted = try external(value, field, row, &attachments)
      } else if field.type == .attachment {
        converted =
          if let bytes = value.blob { try attached(log.attach(Data(bytes)), &attachments) } else { nil }
      } else {
        converted = FieldValue.payload(value, as: field.type)
      }
      guard let converted else { throw wrong(value, field, row, "change its type") }
      pairs.append(.init(.text(field.field), converted))
    }
    for ((field, _), keys) in zip(entity.joins, row.references) {
      pairs.append(.init(.text(field.field), .array(keys.map { CBOR(Int($0)) })))
    }
    return Result(payload: try Payload(.map(pairs)), attachments: attachments)
  }

  private func external(
    _ value: SQLiteValue, _ field: SwiftDataMapping.Field, _ row: SourceRow, _ attachments: inout [Attachment]
  ) throws(AnnalsError) -> CBOR? {
    guard let bytes = value.blob, let place = ExternalValue(bytes) else { return nil }
    switch (place, field.type) {
    case (.content(let content), .attachment):
      return try attached(log.attach(Data(content)), &attachments)
    case (.content(let content), .data): return .bytes(Array(content))
    case (.file(let name), .attachment):
      let input = try file.externalInput(name, field, row.key, entity)
      var failure: AnnalsError?
      let attachment = try log.attach {
        do throws(AnnalsError) { return try input.next().map { Data($0) } } catch {
          failure = error
          return nil
        }
      }
      if let failure { throw failure }
      return attached(attachment, &attachments)
    case (.file(let name), .data):
      let input = try file.externalInput(name, field, row.key, entity)
      var bytes: [UInt8] = []
      while let more = try input.next() {
        bytes += more
        guard bytes.count <= log.maximumPayload else {
          throw AnnalsError(
            .tooLarge,
            "the content of '\(field.field)' in row \(row.key) of '\(entity.mapping.entity)' has more than "
              + "\(log.maximumPayload) bytes; write the type Attachment in the mapping")
        }
      }
      return .bytes(bytes)
    default: return nil
    }
  }

  /// The payload's form of an attachment (docs/format-payloads.md).
  private func attached(_ attachment: Attachment, _ attachments: inout [Attachment]) -> CBOR {
    attachments.append(attachment)
    var pairs: [CBOR.Pair] = [.init("size", .unsigned(attachment.size))]
    if let hash = attachment.hash { pairs.append(.init("hash", .bytes(hash.bytes))) }
    if let content = attachment.content { pairs.append(.init("bytes", .bytes(Array(content)))) }
    return .map(pairs)
  }

  private func wrong(
    _ value: SQLiteValue, _ field: SwiftDataMapping.Field, _ row: SourceRow, _ advice: String
  ) -> AnnalsError {
    AnnalsError(
      .malformed,
      "row \(row.key) of '\(entity.mapping.entity)' has a value of the kind '\(value.kind)' in the column "
        + "\(field.column), and the mapping says \(field.type.rawValue)\(field.optional ? "?" : ""); "
        + "\(advice) in the mapping")
  }
}

extension EventLog {
  /// The maximum size of a payload in bytes.
  fileprivate var maximumPayload: Int { options.maximumPayload }
}
