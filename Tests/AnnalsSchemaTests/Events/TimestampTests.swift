import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct TimestampTests {
  // Seconds from `date -u -d TEXT +%s`.
  @Test(
    arguments: [
      ("1970-01-01T00:00:00.000000Z", 0), ("2008-04-18T00:00:00.000000Z", 1_208_476_800_000_000),
      ("1969-12-31T23:59:59.999999Z", -1), ("2000-02-29T12:34:56.000001Z", 951_827_696_000_001),
      ("2100-03-01T00:00:00.000000Z", 4_107_542_400_000_000),
      ("0001-01-01T00:00:00.000000Z", -62_135_596_800_000_000),
      ("9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999),
    ] as [(String, Int64)])
  func `a moment has one text`(text: String, microseconds: Int64) throws {
    #expect(Timestamp(microseconds: microseconds).description == text)
    #expect(try Timestamp(parsing: text).microseconds == microseconds)
  }

  @Test(
    arguments: [
      ("2008-04-18", 0), ("2008-04-18T00:00", 0), ("2008-04-18t00:00:00z", 0), ("2008-04-18 00:00:00", 0),
      ("2008-04-18T02:30:00+02:30", 0), ("2008-04-18T02:30:00+0230", 0), ("2008-04-17T22:00:00-02", 0),
      ("2008-04-18T02:30+02:30", 0), ("2008-04-18T00:00:00.5Z", 500_000), ("2008-04-18T00:00:00,25", 250_000),
      ("2008-04-18T00:00:00.1234569Z", 123_456), ("2008-04-18T00:00:00.123456999999999999999999Z", 123_456),
      ("2008-04-18T00:00:00-00:00", 0),
    ] as [(String, Int64)])
  func `other forms are read`(text: String, microseconds: Int64) throws {
    #expect(try Timestamp(parsing: text).microseconds == 1_208_476_800_000_000 + microseconds)
  }

  @Test(arguments: [
    ("", 0), ("2008", 4), ("0000-00-00", 0), ("0000-01-01", 0), ("2008-00-01", 5), ("2008-13-01", 5),
    ("2008-04-00", 8), ("2008-04-31", 8), ("2007-02-29", 8), ("1900-02-29", 8), ("2008-4-18", 6),
    ("2008-04-18T24:00:00Z", 11), ("2008-04-18T23:60:00Z", 14), ("2008-04-18T23:59:60Z", 17),
    ("2008-04-18T", 11), ("2008-04-18T1", 12), ("2008-04-18T12", 13), ("2008-04-18Z", 10),
    ("2008-04-18T00:00:00.Z", 20), ("2008-04-18T00:00:00+24:00", 20), ("2008-04-18T00:00:00+1", 21),
    ("2008-04-18T00:00:00+01:", 23), ("2008-04-18T00:00:00Zx", 20), ("2008-04-18x00:00", 10),
    ("0001-01-01T00:00:00+00:01", 0), ("9999-12-31T23:59:59-00:01", 0), ("+2008-04-18", 0), ("２008-04-18", 0),
    ("2008-04-18T00:00:00\u{0}", 19),
  ])
  func `a text that is no moment is refused with its offset`(text: String, offset: Int) {
    #expect { try Timestamp(parsing: text) } throws: { ($0 as? CodingFailure)?.offset == offset }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a random moment is read back from its text`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let range = Timestamp.range.lowerBound.microseconds...Timestamp.range.upperBound.microseconds
    for _ in 0..<500 {
      let moment = Timestamp(microseconds: .random(in: range, using: &generator))
      #expect(try Timestamp(parsing: moment.description) == moment)
    }
  }

  @Test func `every day of four centuries follows the one before`() throws {
    let first = try Timestamp(parsing: "1900-01-01")
    var previous = ""
    for day in 0..<Int64(146_097) {
      let text = Timestamp(microseconds: first.microseconds + day * 86_400_000_000).description
      #expect(previous < text)
      previous = text
    }
    #expect(previous == "2299-12-31T00:00:00.000000Z")
  }

  @Test func `the furthest moments have a text`() {
    #expect(Timestamp(microseconds: .max).description == "294247-01-10T04:00:54.775807Z")
    #expect(Timestamp(microseconds: .min).description == "-290308-12-21T19:59:05.224192Z")
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, 253_402_300_800, -62_135_596_801])
  func `a date outside the years 1 to 9999 is no moment`(seconds: Double) {
    #expect(Timestamp(Date(timeIntervalSince1970: seconds)) == nil)
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `a moment of this century survives Date`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<200 {
      let moment = Timestamp(
        microseconds: .random(in: 946_684_800_000_000...4_102_444_800_000_000, using: &generator))
      #expect(Timestamp(moment.date) == moment)
    }
  }

  @Test func `moments are ordered by time`() {
    #expect(Timestamp(microseconds: -1) < Timestamp(microseconds: 0))
    #expect(Timestamp.now > Timestamp(microseconds: 1_700_000_000_000_000))
  }
}
