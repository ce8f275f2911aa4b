public import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension URL {
  /// Creates a file URL that names exactly the path `path`, which may have any bytes.
  ///
  /// `URL(filePath:)` may name a different file from the one that the system would open. It expands `~`,
  /// resolves `..` in a relative path without looking at symbolic links, and replaces bytes that are not
  /// UTF-8. This initialiser does none of that. Stores are opened by the bytes of the path, relative to the
  /// working directory if the path is relative.
  ///
  /// ```swift
  /// let log = try EventLog(at: URL(exactPath: "link/../orders.annals".utf8))
  /// ```
  ///
  /// - Parameter path: The bytes of the path.
  /// - Throws: ``AnnalsError`` with code `wrongUse` for an empty path and for one with a zero byte.
  public init(exactPath path: some Collection<UInt8>) throws(AnnalsError) {
    let isAbsolute = path.first == UInt8(ascii: "/")
    // With the two slashes, leading slashes of the path do not introduce a host.
    let text = (isAbsolute ? "file://" : "file:") + path.map(Self.encoded).joined()
    guard let url = URL(string: text), try url.exactPath().elementsEqual(path) else {
      throw AnnalsError(.wrongUse, "the path '\(FileName.text(path))' cannot be represented")
    }
    self = url
  }

  /// Returns the bytes of the path that the URL names, as the system takes them.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` if the URL has no path.
  package func exactPath() throws(AnnalsError) -> [UInt8] {
    guard isFileURL, ["", "localhost"].contains(host(percentEncoded: true) ?? "") else {
      throw refusal("it is not a file URL of this machine")
    }
    guard query(percentEncoded: true) == nil, fragment(percentEncoded: true) == nil else {
      throw refusal("a path has no query and no fragment; write '?' as %3F and '#' as %23")
    }
    var bytes: [UInt8] = []
    var rest = Array(path(percentEncoded: true).utf8)[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      let digits = String(decoding: rest.prefix(2), as: UTF8.self)
      guard digits.utf8.count == 2, let number = UInt8(digits, radix: 16) else {
        throw refusal("it has a percent sign that no two digits follow")
      }
      guard number != 0, number != UInt8(ascii: "/") else {
        throw refusal("a name in a path has neither a zero byte nor a slash")
      }
      bytes.append(number)
      rest = rest.dropFirst(2)
    }
    guard !bytes.isEmpty else { throw refusal("its path is empty") }
    return bytes
  }

  private func refusal(_ reason: String) -> AnnalsError {
    AnnalsError(.wrongUse, "no file is at the URL '\(absoluteString)': \(reason)")
  }

  /// Returns a byte as URL text: unchanged for a letter, a digit and other characters that need no percent
  /// sign, or as three characters.
  private static func encoded(_ byte: UInt8) -> String {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      String(UnicodeScalar(byte))
    default:
      "%" + String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
    }
  }
}
