/// A SHA-256 in hexadecimal digits, for comparing values across processes.
package enum Digest {
  /// Returns the 64 digits of the SHA-256 of `bytes`.
  package static func text(of bytes: some Sequence<UInt8>) -> String {
    var text = ""
    for byte in SHA256.hash(bytes) {
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }
}
