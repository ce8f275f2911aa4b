#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Standard error, which keeps complaints out of the report.
struct StandardError: TextOutputStream {
  func write(_ text: String) {
    var text = text
    // A failure here cannot be reported anywhere.
    text.withUTF8 { _ = unsafe Self.write($0) }
  }

  private static func write(_ bytes: UnsafeBufferPointer<UInt8>) -> Int {
    #if canImport(Glibc)
      unsafe Glibc.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    #else
      unsafe Darwin.write(STDERR_FILENO, bytes.baseAddress, bytes.count)
    #endif
  }
}
