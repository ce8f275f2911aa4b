#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Names and paths in the system's form: bytes without a zero, in UTF-8 or not.
public enum FileName {
  /// Returns the bytes as readable text: bytes that are not UTF-8 are written as `\xFF`.
  public static func text(_ bytes: some Collection<UInt8>) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    var text = ""
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      // A scalar has at most four bytes.
      let scalar = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }.first
      text += scalar ?? "\\x\(hex(rest[rest.startIndex]))"
      rest = rest.dropFirst(scalar?.utf8.count ?? 1)
    }
    return text
  }

  private static func hex(_ byte: UInt8) -> String {
    String(byte >> 4, radix: 16, uppercase: true) + String(byte & 15, radix: 16, uppercase: true)
  }
}

/// Calls a system call with the bytes of a name or a path and their terminating zero.
///
/// - Throws: `system` with `EINVAL` if the bytes include a zero, which would truncate them.
@discardableResult
func withPath<R>(
  _ bytes: [UInt8], _ body: (UnsafePointer<CChar>) throws(StoreFileError) -> R
) throws(StoreFileError) -> R {
  guard !bytes.contains(0) else {
    throw .system(call: "open", file: FileName.text(bytes.prefix { $0 != 0 }), errno: EINVAL)
  }
  let ended = bytes.map { CChar(bitPattern: $0) } + [0]
  return try unsafe ended.withUnsafeBufferPointer { (buffer) throws(StoreFileError) -> R in
    // An array with an element has an address.
    guard let start = buffer.baseAddress else {
      throw .system(call: "open", file: "", errno: EINVAL)
    }
    return try unsafe body(start)
  }
}
