internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

extension Payload {
  /// The payload with the dates and UUIDs that `fields` name as texts; itself where there are none.
  func readable(as fields: [FieldShape]?) -> Payload {
    guard let fields else { return self }
    do throws(AnnalsError) {
      return try Payload(Self.readable(try value, as: .record(fields)))
    } catch {
      return self
    }
  }

  /// `value`, written by name, for people. What is not as `shape` says stays as it is.
  private static func readable(_ value: CBOR, as shape: ValueShape) -> CBOR {
    switch (shape, value) {
    case (.optional(let wrapped), _): readable(value, as: wrapped)
    case (.date, _): seconds(value).flatMap(moment) ?? value
    case (.uuid, .bytes(let bytes)) where bytes.count == 16: .text(uuid(bytes))
    case (.list(let element), .array(let values)), (.set(let element), .array(let values)):
      .array(values.map { readable($0, as: element) })
    case (.map(_, let element), .map(let pairs)):
      .map(pairs.map { CBOR.Pair($0.key, readable($0.value, as: element)) })
    case (.record(let fields), .map(let pairs)):
      .map(
        pairs.map { pair in
          guard case .text(let name) = pair.key,
            let field = fields.first(where: { ExactText($0.name) == ExactText(name) })
          else { return pair }
          return CBOR.Pair(pair.key, readable(pair.value, as: field.shape))
        })
    default: value
    }
  }

  private static func seconds(_ value: CBOR) -> Double? {
    switch value {
    case .double(let seconds): seconds
    case .unsigned(let seconds): Double(seconds)
    case .negative(let beyond): -1 - Double(beyond)
    default: nil
    }
  }

  /// A point in time as text; `nil` outside the years 1 to 9999.
  private static func moment(_ seconds: Double) -> CBOR? {
    Timestamp(Date(timeIntervalSinceReferenceDate: seconds)).map { .text("\($0)") }
  }

  private static func uuid(_ bytes: [UInt8]) -> String {
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text += "-" }
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }
}
