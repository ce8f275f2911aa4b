import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct StoredBytesTests {
  @Test func `Data and arrays of bytes are byte strings`() throws {
    try expect(Data([1, 2, 255]), is: "430102ff")
    try expect([1, 2, 255] as [UInt8], is: "430102ff")
    try expect(Data(), is: "40")
    try expect([] as [UInt8], is: "40")
    try expect([[1], [], [2, 3]] as [[UInt8]], is: "83410140420203")
    try expect([7] as [UInt8]?, is: "4107")
    try expect(["a": [7]] as [String: [UInt8]], is: "a161614107")
  }

  @Test func `a slice of Data is written without the bytes around it`() throws {
    let data = Data([9, 1, 2, 9])[1...2]
    let bytes = try written(data)
    #expect(hex(bytes) == "420102")
  }

  @Test func `arrays of other small numbers stay arrays`() throws {
    try expect([1, -1] as [Int8], is: "820120")
    try expect([1, 2] as [UInt16], is: "820102")
  }

  @Test func `an array is no byte string, nor a byte string an array`() {
    expect("820102", as: [UInt8].self, fails: .wrongType)
    expect("820102", as: Data.self, fails: .wrongType)
    expect("420102", as: [Int8].self, fails: .wrongType)
    expect("6161", as: Data.self, fails: .wrongType)
  }

  @Test func `a length beyond the bytes, or in too many bytes, is refused`() {
    expect("5bffffffffffffffff", as: [UInt8].self, fails: .truncated, at: 9)
    expect("4201", as: Data.self, fails: .truncated, at: 1)
    expect("580101", as: Data.self, fails: .notCanonical)
    expect("5f4101ff", as: [UInt8].self, fails: .notCanonical)
  }

  @Test func `the shape is that of bytes`() {
    #expect(shape(of: Data.self) == .bytes)
    #expect(shape(of: [UInt8].self) == .bytes)
    #expect(shape(of: [[UInt8]].self) == .list(.bytes))
    #expect(shape(of: [Int8].self) == .list(.integer(.int8)))
  }
}

struct StoredUUIDTests {
  static let id = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")

  @Test func `a UUID is its 16 bytes`() throws {
    try expect(try #require(Self.id), is: "5000112233445566778899aabbccddeeff")
    #expect(shape(of: UUID.self) == .uuid)
  }

  @Test func `other lengths and types are refused`() {
    expect("4f00112233445566778899aabbccddee", as: UUID.self, fails: .refused)
    expect("5100112233445566778899aabbccddeeff00", as: UUID.self, fails: .refused)
    expect("5000112233445566778899aabbccddee", as: UUID.self, fails: .truncated, at: 1)
    expect("581000112233445566778899aabbccddeeff", as: UUID.self, fails: .notCanonical)
    expect("60", as: UUID.self, fails: .wrongType)
  }
}
