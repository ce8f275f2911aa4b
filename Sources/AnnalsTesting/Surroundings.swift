#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The time zone and the language of a process.
public struct Surroundings: Codable, Hashable, Sendable {
  /// The name of the time zone, as in `TZ`.
  public let timeZone: String
  /// The language and region, as in `LC_ALL`.
  public let language: String

  /// Creates surroundings.
  public init(timeZone: String, language: String) {
    self.timeZone = timeZone
    self.language = language
  }

  /// Places far apart, with half-hour offsets and on both sides of the date line, and languages that write
  /// letters, numbers and dates differently.
  public static let all = [
    Surroundings(timeZone: "UTC", language: "C"),
    Surroundings(timeZone: "Asia/Kolkata", language: "tr_TR.UTF-8"),
    Surroundings(timeZone: "America/St_Johns", language: "ar_EG.UTF-8"),
    Surroundings(timeZone: "Pacific/Kiritimati", language: "de_CH.UTF-8"),
  ]

  /// Sets the time zone and the language of this process.
  ///
  /// Call it first in a separate process, such as an exit test. Time zone and language are read only once,
  /// and two threads must not change the environment.
  public func enter() {
    // This process has run nothing yet that could read the environment at the same time.
    unsafe setenv("TZ", timeZone, 1)
    for name in ["LC_ALL", "LANG", "LANGUAGE"] { unsafe setenv(name, language, 1) }
    tzset()
  }
}

extension Surroundings: CustomStringConvertible {
  /// The time zone and the language.
  public var description: String { "\(timeZone), \(language)" }
}
