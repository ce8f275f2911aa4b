import Testing

struct StoredIntegerTests {
  @Test func `a number takes the fewest bytes`() throws {
    try expect(0, is: "00")
    try expect(23, is: "17")
    try expect(24, is: "1818")
    try expect(255, is: "18ff")
    try expect(256, is: "190100")
    try expect(65535, is: "19ffff")
    try expect(65536, is: "1a00010000")
    try expect(4_294_967_295, is: "1affffffff")
    try expect(4_294_967_296, is: "1b0000000100000000")
    try expect(-1, is: "20")
    try expect(-24, is: "37")
    try expect(-25, is: "3818")
    try expect(-257, is: "390100")
  }

  @Test func `every width holds its least and its greatest number`() throws {
    try expect(Int8.min, is: "387f")
    try expect(Int8.max, is: "187f")
    try expect(Int16.min, is: "397fff")
    try expect(Int16.max, is: "197fff")
    try expect(Int32.min, is: "3a7fffffff")
    try expect(Int32.max, is: "1a7fffffff")
    try expect(Int64.min, is: "3b7fffffffffffffff")
    try expect(Int64.max, is: "1b7fffffffffffffff")
    try expect(Int.min, is: "3b7fffffffffffffff")
    try expect(UInt8.max, is: "18ff")
    try expect(UInt16.max, is: "19ffff")
    try expect(UInt32.max, is: "1affffffff")
    try expect(UInt64.max, is: "1bffffffffffffffff")
    try expect(UInt.max, is: "1bffffffffffffffff")
    try expect(UInt64.min, is: "00")
  }

  @Test func `a number one beyond the width is out of range`() {
    expect("1880", as: Int8.self, fails: .outOfRange)
    expect("3880", as: Int8.self, fails: .outOfRange)
    expect("198000", as: Int16.self, fails: .outOfRange)
    expect("1a80000000", as: Int32.self, fails: .outOfRange)
    expect("1b8000000000000000", as: Int64.self, fails: .outOfRange)
    expect("3b8000000000000000", as: Int.self, fails: .outOfRange)
    expect("190100", as: UInt8.self, fails: .outOfRange)
    expect("1a00010000", as: UInt16.self, fails: .outOfRange)
    expect("1b0000000100000000", as: UInt32.self, fails: .outOfRange)
    expect("20", as: UInt64.self, fails: .outOfRange)
    expect("3bffffffffffffffff", as: UInt.self, fails: .outOfRange)
  }

  @Test(arguments: ["1817", "190017", "1900ff", "1a0000ffff", "1b00000000ffffffff", "3817", "3900ff"])
  func `a number in more bytes than it needs is refused`(bytes: String) {
    expect(bytes, as: Int.self, fails: .notCanonical)
  }

  @Test(arguments: ["", "18", "1901", "1a000100", "1b00000001000000"])
  func `a number that the bytes cut off is refused`(bytes: String) {
    expect(bytes, as: UInt64.self, fails: .truncated)
  }

  @Test(arguments: ["f90000", "60", "80", "f6", "f4", "c000", "40"])
  func `a value other than a whole number is of another type`(bytes: String) {
    expect(bytes, as: Int32.self, fails: .wrongType)
  }

  @Test func `the shape says the range`() {
    #expect(shape(of: Int8.self) == .integer(.int8))
    #expect(shape(of: Int16.self) == .integer(.int16))
    #expect(shape(of: Int32.self) == .integer(.int32))
    #expect(shape(of: Int64.self) == .integer(.int64))
    #expect(shape(of: Int.self) == .integer(.int64))
    #expect(shape(of: UInt8.self) == .integer(.uint8))
    #expect(shape(of: UInt16.self) == .integer(.uint16))
    #expect(shape(of: UInt32.self) == .integer(.uint32))
    #expect(shape(of: UInt64.self) == .integer(.uint64))
    #expect(shape(of: UInt.self) == .integer(.uint64))
  }
}

struct StoredBoolTests {
  @Test func `a truth value is one byte`() throws {
    try expect(false, is: "f4")
    try expect(true, is: "f5")
    #expect(shape(of: Bool.self) == .bool)
  }

  @Test(arguments: ["f6", "f7", "00", "01", "f815", "f3", "e0"])
  func `nothing else is a truth value`(bytes: String) {
    expect(bytes, as: Bool.self, fails: .wrongType)
  }
}
