import Testing

@Suite struct ChecksumTests {
  /// RFC 3720, appendix B.4.
  @Test(
    arguments: [
      (Array(repeating: 0, count: 32), 0x8a91_36aa), (Array(repeating: 0xff, count: 32), 0x62a8_ab43),
      (Array(0..<32), 0x46dd_794e), (Array((0..<32).reversed()), 0x113f_db5c),
      (Array("123456789".utf8), 0xe306_9283), ([], 0),
    ] as [([UInt8], UInt32)])
  func `the published vectors hold`(bytes: [UInt8], expected: UInt32) {
    #expect(Checksum.crc32c(bytes.span) == expected)
  }

  @Test func `the checksum of two runs is that of the second continued from the first`() {
    let bytes = Array("the log alone rebuilds everything".utf8)
    for cut in 0...bytes.count {
      let first = Checksum.crc32c(Array(bytes[..<cut]).span)
      #expect(Checksum.crc32c(Array(bytes[cut...]).span, seed: first) == Checksum.crc32c(bytes.span))
    }
  }

  @Test func `a seed is the checksum of the number's bytes, lowest first`() {
    #expect(Checksum.seed(0x0807_0605_0403_0201) == Checksum.crc32c(Array(1...8).span))
  }

  @Test func `bytes of every length have the checksum that the polynomial says`() {
    let bytes = (0..<700).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }
    for count in 0...bytes.count {
      let wanted = bytes[..<count].reduce(~0 as UInt32) { state, byte in
        (0..<8).reduce(state ^ UInt32(byte)) { state, _ in state >> 1 ^ (state & 1 == 1 ? 0x82f6_3b78 : 0) }
      }
      #expect(Checksum.crc32c(Array(bytes[..<count]).span) == ~wanted)
      guard count >= 10 else { continue }
      var parts = Checksum.seed(0x0807_0605_0403_0201)
      parts = Checksum.crc32c(Array(bytes[..<3]).span, seed: parts)
      parts = Checksum.crc32c(Array(bytes[7..<count]).span, seed: parts)
      let around = Checksum.crc32c(0x0807_0605_0403_0201, Array(bytes[..<count]).span, without: 3..<7)
      #expect(around == parts)
    }
  }
}
