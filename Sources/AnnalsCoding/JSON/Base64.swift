#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads texts in base64 (RFC 4648, section 4).
enum Base64 {
  /// The bytes that `text` says; `nil` where it is not how these bytes are written.
  ///
  /// Texts with set bits after the last byte, which many readers ignore, would not come back as they were.
  static func bytes(_ text: String) -> [UInt8]? {
    guard let data = Data(base64Encoded: text), data.base64EncodedString().utf8.elementsEqual(text.utf8)
    else { return nil }
    return [UInt8](data)
  }
}
