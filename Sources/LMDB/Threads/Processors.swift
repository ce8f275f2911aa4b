#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The machine's processors.
public enum Processors {
  /// The number of processors that this system may use, at least 1.
  public static var count: Int { max(sysconf(Int32(_SC_NPROCESSORS_ONLN)), 1) }
}
