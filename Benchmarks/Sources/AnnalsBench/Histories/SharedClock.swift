#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The clock that all processes of a machine share: CLOCK_MONOTONIC.
struct SharedClock {
  private var last: UInt64 = 0

  /// The time in nanoseconds, later than any that this value has returned before.
  mutating func next() -> UInt64 {
    // Two lines of one process must not have one time, because they are sorted by it.
    while true {
      let now = Self.now
      if now > last {
        last = now
        return now
      }
    }
  }

  /// The time in nanoseconds.
  static var now: UInt64 {
    var time = timespec()
    // It fails only for a clock that does not exist.
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
