import Testing

@testable import AnnalsCoding

/// Bytes are compared many at a time, and the last ones once more with some before them.
@Suite struct ASCIITests {
  private static func isASCII(_ bytes: [UInt8]) -> Bool { bytes.span.isASCII }

  @Test func `one byte above ASCII is found at each place of each length`() {
    for count in 0...80 {
      var bytes = [UInt8](repeating: 0x7f, count: count)
      #expect(Self.isASCII(bytes))
      for place in 0..<count {
        bytes[place] = 0x80
        #expect(!Self.isASCII(bytes), "\(place) of \(count)")
        bytes[place] = 0x7f
      }
    }
  }
}
