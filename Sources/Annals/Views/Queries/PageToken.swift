internal import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where a page of rows ended, to ask for the next one.
///
/// A text for programs to keep and hand back, also in another process or after a restart. It names the view, its version and the query, and is refused by another.
/// It holds the key of the last row, so it is no secret and no secret should be a key.
public struct PageToken: Hashable, Codable, Sendable, CustomStringConvertible {
  /// The token as text, which a URL can hold.
  public let text: String

  /// The token with a text, which is checked when it is used.
  public init(_ text: String) {
    self.text = text
  }

  /// The token as text.
  public var description: String { text }

  /// Reads the text.
  public init(from decoder: any Decoder) throws {
    text = try decoder.singleValueContainer().decode(String.self)
  }

  /// Writes the text.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}

/// A page of a query's result.
public struct RowPage<Row: ProjectionRow>: Sendable {
  /// The rows, at most as many as the query's limit.
  public let rows: [Row]
  /// Where the next page begins; `nil` where nothing follows. Where the query has a predicate, nothing may follow all the same.
  public let next: PageToken?
}

/// What a page's token says.
struct PagePlace: Equatable {
  /// The checksum of what names the view, its version and the query.
  let scope: UInt32
  /// The key of the last row behind the number of its space.
  let key: [UInt8]

  private static let format: UInt8 = 1

  /// The place behind a key.
  init(scope: UInt32, key: [UInt8]) {
    self.scope = scope
    self.key = key
  }

  /// The checksum of what names a projection and a query of its rows.
  static func scope<Row>(_ query: RowQuery<Row>, name: String, version: Int) -> UInt32 {
    var bytes = Array(name.utf8)
    bytes.append(littleEndian: UInt64(version))
    bytes += query.identity
    return Checksum.crc32c(bytes.span)
  }

  /// Reads a token; `nil` where it is none.
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
