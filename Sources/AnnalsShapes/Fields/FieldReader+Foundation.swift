internal import AnnalsCoding

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FieldReader {
  /// Reads a byte string.
  mutating func data() throws(CodingFailure) -> Data {
    let range = try byteString("a byte string")
    // Data copies the bytes, and has no initialiser for a span.
    return unsafe reader.bytes.extracting(range).withUnsafeBytes { unsafe Data($0) }
  }

  /// Reads a UUID, a byte string of 16 bytes.
  mutating func uuid() throws(CodingFailure) -> UUID {
    let start = reader.offset
    let range = try byteString("UUID")
    guard range.count == 16 else { throw CodingFailure(.refused, at: start, detail: "UUID wanted") }
    return unsafe reader.bytes.extracting(range).withUnsafeBytes {
      // A UUID is a tuple of bytes without alignment; that there are 16 has just been checked.
      unsafe UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
    }
  }
}
