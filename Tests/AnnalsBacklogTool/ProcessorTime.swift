#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The processor time of this process.
enum ProcessorTime {
  /// The time so far, of all threads, in microseconds.
  static var microseconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
  }
}
