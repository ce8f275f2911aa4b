#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where complaints go, so that they do not stand in the report.
struct StandardError: TextOutputStream {
  func write(_ text: String) {
    var text = text
    // Nobody is left to tell of a failure here.
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
