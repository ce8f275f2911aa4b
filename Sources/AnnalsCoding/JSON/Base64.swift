#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A parser for texts in base64 (RFC 4648, section 4).
enum Base64 {
  /// Returns the bytes in `text`; `nil` if it is not their canonical form.
  ///
  /// Texts with set bits after the last byte, which many readers ignore, would be written differently.
  static func bytes(_ text: String) -> [UInt8]? {
    guard let data = Data(base64Encoded: text), data.base64EncodedString().utf8.elementsEqual(text.utf8)
    else { return nil }
    return [UInt8](data)
  }
}
