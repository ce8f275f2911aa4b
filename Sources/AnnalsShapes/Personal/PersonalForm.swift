package import AnnalsCoding

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The personal fields of one shape, and how their values are stored.
package struct PersonalForm: Sendable {
  /// A personal field.
  package struct Field: Sendable {
    /// Its number in the record.
    package let index: Int
    /// Its name on disk.
    package let name: String
    /// The number of the field with the id of its subject.
    package let subject: Int
    /// The shape of that field.
    let subjectShape: ValueShape
    /// Whether the value may be null, which is not encrypted.
    package let isOptional: Bool
    /// The encoded value that is read after the key was dropped; `nil` if the shape was read from a store.
    package let replacement: [UInt8]?
  }

  /// The personal fields in the order of the record.
  package let fields: [Field]
  /// The number of all fields of the record.
  package let count: Int

  /// Finds the personal fields of `shape`; `nil` if it has none.
  init?(_ shape: RecordShape) {
    guard shape.fields.contains(where: { $0.subject != nil }) else { return nil }
    var fields: [Field] = []
    for (index, field) in shape.fields.enumerated() {
      guard let name = field.subject,
        let subject = shape.fields.firstIndex(where: { ExactText($0.name) == ExactText(name) })
      else { continue }
      let isOptional = if case .optional = field.shape { true } else { false }
      fields.append(
        Field(
          index: index, name: field.name, subject: subject, subjectShape: shape.fields[subject].shape,
          isOptional: isOptional, replacement: field.replacement))
    }
    self.fields = fields
    count = shape.fields.count
  }

  /// The field called `name`.
  package func field(_ name: String) -> Field? { fields.first { ExactText($0.name) == ExactText(name) } }

  /// Whether the id of a subject can have this shape: its text does not depend on the type.
  static func names(_ shape: ValueShape) -> Bool {
    switch shape {
    case .text, .integer, .uuid, .bytes: true
    default: false
    }
  }

  /// Returns the ranges of the fields' values in a payload.
  package func ranges(in payload: Span<UInt8>) throws(CodingFailure) -> [Range<Int>] {
    var offset = try payload.end(ofHead: count, at: 0)
    var ranges: [Range<Int>] = []
    ranges.reserveCapacity(count)
    for _ in 0..<count {
      let end = try payload.end(ofItems: 1, from: offset)
      ranges.append(offset..<end)
      offset = end
    }
    guard offset == payload.count else { throw CodingFailure(.trailingBytes, at: offset) }
    return ranges
  }

  /// Returns the text of the subject's id.
  package func subject(
    of field: Field, in payload: Span<UInt8>, _ ranges: [Range<Int>]
  ) throws(CodingFailure) -> String {
    let start = ranges[field.subject].lowerBound
    var reader = CBORReader(payload, at: start)
    let head = try reader.canonicalHead()
    switch (field.subjectShape, head.major) {
    case (.text, .text): return try reader.text(try reader.take(head.argument))
    case (.integer, .unsigned): return String(head.argument)
    case (.integer, .negative):
      guard let number = Int64(exactly: head.argument) else { break }
      return String(-1 - number)
    case (.uuid, .bytes):
      guard let id = UUID(bytes: reader.copy(try reader.take(head.argument))) else { break }
      return id.tagText
    case (.bytes, .bytes): return Data(reader.copy(try reader.take(head.argument))).tagText
    default: break
    }
    throw CodingFailure(.wrongType, at: start, detail: "the id of a subject wanted")
  }

  /// Returns the bytes that bind an encrypted value to its type, its field and its subject.
  package static func context(type: ExactText, field: String, subject: String) -> [UInt8] {
    var bytes = Array("annals personal 1".utf8)
    for text in [type.text, field, subject] {
      bytes.append(varint: UInt64(text.utf8.count))
      bytes += text.utf8
    }
    return bytes
  }
}
