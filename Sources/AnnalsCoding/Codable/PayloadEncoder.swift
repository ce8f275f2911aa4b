#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An encoder of `Codable` values as payloads by name.
///
/// Keyed containers are maps, unkeyed ones arrays. Data and `[UInt8]` are byte strings, a UUID its 16 bytes,
/// a Date the seconds since 2001-01-01T00:00:00Z as a double, URL and Decimal texts. A Set is an array, and a
/// Dictionary whose keys are not `String` an array of pairs, both sorted by encoded bytes.
package enum PayloadEncoder {
  /// Returns the payload of `value`.
  ///
  /// - Throws: ``CodingFailure`` with the path, if the value's own code throws, writes nothing, writes a
  ///   duplicate key, nests more than 64 deep, or has an integer beyond 64 bits.
  package static func encode(_ value: some Encodable) throws(CodingFailure) -> [UInt8] {
    var bytes: [UInt8] = []
    try encode(value, into: &bytes, path: nil, depth: 0)
    return bytes
  }

  /// Appends `value`, at `path` and nested in `depth` containers.
  package static func encode<T: Encodable>(
    _ value: T, into bytes: inout [UInt8], path: CodingPath?, depth: Int
  ) throws(CodingFailure) {
    if try encodeSpecial(value, into: &bytes, path: path, depth: depth) {
      return
    }
    let node = EncodingNode(path: path, depth: depth)
    do {
      try value.encode(to: NodeEncoder(node: node))
    } catch {
      throw CodingFailure(wrapping: error, at: bytes.count, path: path)
    }
    try node.write(into: &bytes)
  }

  /// Appends `value` if its type has a form of its own, and returns whether it has.
  private static func encodeSpecial<T: Encodable>(
    _ value: T, into bytes: inout [UInt8], path: CodingPath?, depth: Int
  ) throws(CodingFailure) -> Bool {
    // Types are compared before casts: that costs next to nothing, and most values have none of these types.
    if T.self == String.self, let text = value as? String {
      bytes.appendText(text)
    } else if T.self == Int.self, let number = value as? Int {
      bytes.appendInteger(Int64(number))
    } else if T.self == UInt64.self, let number = value as? UInt64 {
      bytes.appendHead(.unsigned, number)
    } else if T.self == Data.self, let data = value as? Data {
      bytes.appendByteString([UInt8](data))
    } else if T.self == [UInt8].self, let string = value as? [UInt8] {
      bytes.appendByteString(string)
    } else if T.self == Date.self, let date = value as? Date {
      bytes.appendDouble(date.timeIntervalSinceReferenceDate)
    } else if T.self == UUID.self, let id = value as? UUID {
      bytes.appendHead(.bytes, 16)
      bytes.append(contentsOf: id.bytes)
    } else if T.self == URL.self, let url = value as? URL {
      guard url.baseURL == nil else {
        throw CodingFailure(
          .refused, at: bytes.count, path: CodingPath.keys(path), detail: URL.withBase)
      }
      bytes.appendText(url.absoluteString)
    } else if T.self == Decimal.self, let number = value as? Decimal {
      bytes.appendText(number.description)
    } else if let collection = value as? any EncodableByElements {
      guard depth < CBOR.typedDepthLimit else {
        throw CodingFailure(.tooDeep, at: bytes.count, path: CodingPath.keys(path))
      }
      try collection.encodeElements(into: &bytes, path: path, depth: depth + 1)
    } else {
      return false
    }
    return true
  }
}

extension URL {
  /// The reason why a URL with a base is not stored.
  package static let withBase = "a URL that is relative to a base; use its absoluteURL"
}
