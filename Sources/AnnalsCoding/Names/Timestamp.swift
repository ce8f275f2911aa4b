#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// A moment in time, in whole microseconds since 1970-01-01T00:00:00Z, without leap seconds.
///
/// Every moment of the years 0001 to 9999 (proleptic Gregorian calendar, UTC) has a text form that can be
/// parsed.
public struct Timestamp: Hashable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z; negative before.
  public let microseconds: Int64

  /// Creates the moment `microseconds` after (negative: before) 1970-01-01T00:00:00Z.
  @inlinable public init(microseconds: Int64) {
    self.microseconds = microseconds
  }

  /// Creates the moment of `date`, to the nearest microsecond; `nil` if it is not a number or is outside
  /// ``range``.
  public init?(_ date: Date) {
    // The fraction is separated exactly; multiplied or moved to 1970 as a whole, the number would lose its
    // last bits.
    let seconds = date.timeIntervalSinceReferenceDate.rounded(.down)
    guard let whole = Int64(exactly: seconds), (-70_000_000_000...300_000_000_000).contains(whole) else {
      return nil
    }
    let fraction = ((date.timeIntervalSinceReferenceDate - seconds) * 1_000_000).rounded()
    self.init(microseconds: (whole + 978_307_200) * 1_000_000 + Int64(fraction))
    guard Self.range.contains(self) else { return nil }
  }

  /// The moment as a `Date`, whose resolution is about 0.1 microseconds today and coarser far from 2001.
  public var date: Date {
    // Whole seconds and the rest are converted separately: both are exact, so that only the last addition
    // rounds.
    let (seconds, rest) = microseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Date(
      timeIntervalSinceReferenceDate: Double(seconds - 978_307_200) + Double(rest) / 1_000_000)
  }

  /// The current time of the system's clock.
  public static var now: Timestamp {
    // A clock outside the years 0001 to 9999 is not set.
    Timestamp(Date()) ?? Timestamp(microseconds: 0)
  }

  /// The moments that have a text form: 0001-01-01T00:00:00.000000Z to 9999-12-31T23:59:59.999999Z.
  public static let range =
    Timestamp(microseconds: -62_135_596_800_000_000)...Timestamp(microseconds: 253_402_300_799_999_999)
}

extension Timestamp: Comparable {
  /// Returns whether `left` is before `right`.
  @inlinable public static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.microseconds < right.microseconds
  }
}

extension Timestamp: CustomStringConvertible {
  /// The moment as `2008-04-18T00:00:00.000000Z`, always with six digits after the point.
  ///
  /// Outside ``range`` the year has as many digits as it needs, and a sign if it is negative.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the text of ``description`` to `bytes`.
  package func append(to bytes: inout [UInt8]) {
    var days = microseconds / 86_400_000_000
    var time = microseconds % 86_400_000_000
    if time < 0 {
      time += 86_400_000_000
      days -= 1
    }
    let (year, month, day) = Self.civil(fromDays: days)
    if year < 0 {
      bytes.append(UInt8(ascii: "-"))
    }
    Self.append(year.magnitude, width: 4, to: &bytes)
    for (mark, number) in [(UInt8(ascii: "-"), month), (UInt8(ascii: "-"), day)] {
      bytes.append(mark)
      Self.append(number.magnitude, width: 2, to: &bytes)
    }
    bytes.append(UInt8(ascii: "T"))
    Self.append((time / 3_600_000_000).magnitude, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Self.append((time / 60_000_000 % 60).magnitude, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    Self.append((time / 1_000_000 % 60).magnitude, width: 2, to: &bytes)
    bytes.append(UInt8(ascii: "."))
    Self.append((time % 1_000_000).magnitude, width: 6, to: &bytes)
    bytes.append(UInt8(ascii: "Z"))
  }

  private static func append(_ number: UInt64, width: Int, to bytes: inout [UInt8]) {
    var place: UInt64 = 1
    var places = 1
    while places < width || number / place >= 10 {
      place *= 10
      places += 1
    }
    while place > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(number / place % 10))
      place /= 10
    }
  }
}

extension Timestamp {
  /// Returns the year, month and day of the date `days` after 1970-01-01.
  ///
  /// Source: Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`: years begin in
  /// March, so that the leap day is the last of its year, and 400 years always have 146,097 days.
  static func civil(fromDays days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }

  /// Returns the number of days from 1970-01-01 to the given day; the year is 0 to 9999 and the day exists.
  ///
  /// Source: as above, `days_from_civil`.
  static func days(fromYear year: Int64, month: Int64, day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }
}
