internal import Dispatch

/// The monotonic clock of this machine, for waits alone. Nothing that is stored depends on it.
enum Clock {
  /// The nanoseconds since some moment.
  static var now: Int { Int(DispatchTime.now().uptimeNanoseconds) }
}

extension Duration {
  /// The duration in nanoseconds, at most a year.
  var wholeNanoseconds: Int {
    let year = 31_536_000
    let seconds = min(max(components.seconds, 0), Int64(year))
    return Int(seconds) * 1_000_000_000 + Int(max(components.attoseconds, 0) / 1_000_000_000)
  }
}
