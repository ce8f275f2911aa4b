/// A parser for moments in the ISO 8601 forms that logs use.
///
/// `2008-04-18` is midnight UTC. A time follows `T`, `t` or a space: `HH:MM` or `HH:MM:SS`. After a point or
/// comma it may have any number of digits; those beyond microseconds are cut off. The zone is `Z`, `z`,
/// `±HH`, `±HHMM`, `±HH:MM` or absent, which is UTC. There is no hour 24, no second 60 and no year 0000.
struct TimestampText: ~Copyable, ~Escapable {
  private let bytes: Span<UInt8>
  private var offset = 0

  @_lifetime(copy bytes)
  private init(_ bytes: Span<UInt8>) {
    self.bytes = bytes
  }

  /// Returns the moment in `bytes`, UTF-8.
  ///
  /// - Throws: ``CodingFailure`` with the offset of the first byte that fits no form, or of a number out of
  ///   its range. The offset is 0 if the zone moves the moment out of ``Timestamp/range``.
  static func moment(_ bytes: Span<UInt8>) throws(CodingFailure) -> Timestamp {
    var text = TimestampText(bytes)
    let moment = try text.moment()
    guard text.offset == bytes.count else { throw CodingFailure(.malformed, at: text.offset) }
    guard Timestamp.range.contains(moment) else { throw CodingFailure(.outOfRange, at: 0) }
    return moment
  }

  private mutating func moment() throws(CodingFailure) -> Timestamp {
    let year = try number(digits: 4, in: 1...9999)
    try take("-")
    let month = try number(digits: 2, in: 1...12)
    try take("-")
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let lengths: [Int64] = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    let day = try number(digits: 2, in: 1...lengths[Int(month) - 1])
    var seconds = Timestamp.days(fromYear: year, month: month, day: day) * 86_400
    var fraction: Int64 = 0
    if offset < bytes.count {
      guard isNext("T") || isNext("t") || isNext(" ") else { throw CodingFailure(.malformed, at: offset) }
      offset += 1
      seconds += try number(digits: 2, in: 0...23) * 3_600
      try take(":")
      seconds += try number(digits: 2, in: 0...59) * 60
      if isNext(":") {
        offset += 1
        seconds += try number(digits: 2, in: 0...59)
        fraction = try self.fraction()
      }
      seconds -= try zone()
    }
    return Timestamp(microseconds: seconds * 1_000_000 + fraction)
  }

  private mutating func fraction() throws(CodingFailure) -> Int64 {
    guard isNext(".") || isNext(",") else { return 0 }
    offset += 1
    var microseconds = try number(digits: 1, in: 0...9) * 100_000
    var place: Int64 = 10_000
    while let digit {
      microseconds += digit * place
      place /= 10
      offset += 1
    }
    return microseconds
  }

  /// Reads the number of seconds that the text's clock is ahead of UTC.
  private mutating func zone() throws(CodingFailure) -> Int64 {
    if isNext("Z") || isNext("z") {
      offset += 1
      return 0
    }
    let sign: Int64 = isNext("-") ? -1 : 1
    guard isNext("+") || isNext("-") else { return 0 }
    offset += 1
    var seconds = try number(digits: 2, in: 0...23) * 3_600
    if isNext(":") {
      offset += 1
      seconds += try number(digits: 2, in: 0...59) * 60
    } else if digit != nil {
      seconds += try number(digits: 2, in: 0...59) * 60
    }
    return sign * seconds
  }

  private var digit: Int64? {
    guard offset < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[offset]) else {
      return nil
    }
    return Int64(bytes[offset] - UInt8(ascii: "0"))
  }

  private func isNext(_ scalar: Unicode.Scalar) -> Bool {
    offset < bytes.count && bytes[offset] == UInt8(ascii: scalar)
  }

  private mutating func take(_ scalar: Unicode.Scalar) throws(CodingFailure) {
    guard isNext(scalar) else { throw CodingFailure(.malformed, at: offset) }
    offset += 1
  }

  private mutating func number(digits: Int, in range: ClosedRange<Int64>) throws(CodingFailure) -> Int64 {
    let start = offset
    var number: Int64 = 0
    for _ in 0..<digits {
      guard let digit else { throw CodingFailure(.malformed, at: offset) }
      number = number * 10 + digit
      offset += 1
    }
    guard range.contains(number) else { throw CodingFailure(.outOfRange, at: start) }
    return number
  }
}

extension Timestamp {
  /// Creates the moment of a `text` in one of the common ISO 8601 forms.
  ///
  /// A date without a time is midnight UTC, a time without a zone is UTC, and digits beyond microseconds are
  /// cut off.
  ///
  /// - Throws: ``CodingFailure`` with the offset if the text fits no form, or a number is out of its range.
  public init(parsing text: String) throws(CodingFailure) {
    let utf8 = [UInt8](text.utf8)
    self = try TimestampText.moment(utf8.span)
  }
}
