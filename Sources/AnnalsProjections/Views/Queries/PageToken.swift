internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// The place where a page of rows ended, used to request the next page.
///
/// A token is a text that programs can keep, and use in another process or after a restart. It identifies the
/// view, its version and the query, and is refused for any other. It contains the key of the last row, so it
/// is not secret. Do not use secrets as keys.
public struct PageToken: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The token as text that is safe in a URL.
  public let text: String

  /// Creates a token from its text, which is checked when it is used.
  public init(_ text: String) {
    self.text = text
  }

  /// The token as text.
  public var description: String { text }

  /// Decodes the text.
  public init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  /// Encodes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// A page of a query's result.
public struct RowPage<Row: ProjectionRow>: Sendable {
  /// The rows, up to the query's limit.
  public let rows: [Row]
  /// The token for the next page; `nil` if there is none. If the query has a predicate, the next page may
  /// still be empty.
  public let next: PageToken?
}

/// The content of a page's token.
struct PagePlace: Equatable {
  /// The checksum that identifies the view, its version and the query.
  let scope: UInt32
  /// The key of the last row, without the number of its space.
  let key: [UInt8]

  private static let format: UInt8 = 1

  /// Creates the place after a key.
  init(scope: UInt32, key: [UInt8]) {
    self.scope = scope
    self.key = key
  }

  /// Computes the checksum that identifies a projection and a query of its rows.
  static func scope<Row>(_ query: RowQuery<Row>, name: String, version: Int) -> UInt32 {
    var bytes = Array(name.utf8)
    bytes.append(littleEndian: UInt64(version))
    bytes += query.identity
    return Checksum.crc32c(bytes.span)
  }

  /// Parses a token; `nil` if it is malformed.
  init?(_ token: PageToken) {
    var text = String(token.text.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    while text.utf8.count % 4 != 0 { text += "=" }
    guard let data = Data(base64Encoded: text) else { return nil }
    let bytes = Array(data)
    guard bytes.count > 9, bytes[0] == Self.format else { return nil }
    let content = Array(bytes[..<(bytes.count - 4)])
    var sealed = content
    sealed.append(littleEndian: Checksum.crc32c(content.span))
    guard sealed == bytes else { return nil }
    scope = content[1..<5].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    key = Array(content[5...])
  }

  /// The token of the place.
  var token: PageToken {
    var bytes = [Self.format]
    bytes.append(littleEndian: scope)
    bytes += key
    bytes.append(littleEndian: Checksum.crc32c(bytes.span))
    var text = Data(bytes).base64EncodedString()
    while text.hasSuffix("=") { text.removeLast() }
    return PageToken(String(text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }))
  }
}
