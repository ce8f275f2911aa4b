#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The run of the operating system.
public enum Boot {
  /// An identifier of this run of the system; `nil` if the system has none.
  ///
  /// Data that was written but not synced exists as long as the run lasts, regardless of the process that
  /// ends.
  public static var id: String? {
    #if canImport(Darwin)
      var bytes = [CChar](repeating: 0, count: 64)
      var size = bytes.count
      guard unsafe sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
      return unsafe String(cString: bytes)
    #else
      var bytes = [UInt8](repeating: 0, count: 64)
      do throws(StoreFileError) {
        let file = try Directory.open(path: "/proc/sys/kernel/random").open("boot_id", .read)
        var span = bytes.mutableSpan
        bytes.removeSubrange(try file.read(into: &span, at: 0)...)
      } catch {
        // Without an identifier every run counts as another one.
        return nil
      }
      let id = String(decoding: bytes.filter { $0 > UInt8(ascii: " ") }, as: UTF8.self)
      return id.isEmpty ? nil : id
    #endif
  }
}
