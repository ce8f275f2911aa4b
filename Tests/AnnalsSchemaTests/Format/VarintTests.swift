import Testing

@Suite struct VarintTests {
  @Test(
    arguments: [
      (0, [0x00]), (1, [0x01]), (127, [0x7f]), (128, [0x80, 0x01]), (300, [0xac, 0x02]),
      (.max, [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]),
    ] as [(UInt64, [UInt8])])
  func `a number is written in its shortest form and read back`(number: UInt64, bytes: [UInt8]) throws {
    var written: [UInt8] = []
    written.append(varint: number)
    #expect(written == bytes)
    var reader = ByteReader(bytes.span)
    #expect(try reader.varint() == number)
    try reader.finish()
  }

  @Test(
    arguments: [
      [0x80, 0x00], [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02],
      [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
    ] as [[UInt8]])
  func `a long form, a number over 64 bits and an eleventh byte are refused`(bytes: [UInt8]) {
    #expect(throws: FormatFailure(.varint, at: 0)) {
      var reader = ByteReader(bytes.span)
      _ = try reader.varint()
    }
  }

  @Test func `a number that ends early is refused`() {
    #expect(throws: FormatFailure(.tooShort, at: 0)) {
      var reader = ByteReader(([0x80, 0x80] as [UInt8]).span)
      _ = try reader.varint()
    }
  }
}
