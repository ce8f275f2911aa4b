public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension URL: StoredValue {
  /// The text of a URL.
  public static func shape(in types: inout ShapeTypes) -> ValueShape { .url }

  /// Reads the text of a URL.
  ///
  /// - Throws: ``CodingFailure`` also if the URL would be written as another text, such as one with spaces.
  public init(from reader: inout FieldReader) throws(CodingFailure) {
    let start = reader.offset
    let text = try reader.text()
    guard let url = URL(string: text) else { throw CodingFailure(.refused, at: start, detail: "URL wanted") }
    guard url.isWritten(as: text) else { throw CodingFailure(.notCanonical, at: start, detail: "URL wanted") }
    self = url
  }

  /// Writes the text.
  ///
  /// - Throws: ``CodingFailure`` if the text would not be read as the same text, and for a URL that is
  ///   relative to a base: it would be read as another URL. Use its `absoluteURL`.
  public func encode(into writer: inout FieldWriter) throws(CodingFailure) {
    guard baseURL == nil else {
      throw CodingFailure(.refused, at: writer.offset, detail: Self.withBase)
    }
    let text = absoluteString
    guard let url = URL(string: text), url.isWritten(as: text) else {
      throw CodingFailure(.refused, at: writer.offset, detail: "a URL whose text is none")
    }
    writer.text(text)
  }
}

extension URL {
  /// Returns whether the URL is written as these bytes.
  fileprivate func isWritten(as text: String) -> Bool {
    absoluteString.utf8.elementsEqual(text.utf8)
  }
}
