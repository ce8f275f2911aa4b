/// An event that every subject stores: the stream it belongs to and a payload of a fixed size.
struct SampleEvent: Sendable {
  /// The bytes of every payload.
  static let payloadBytes = 150
  /// The bytes around the text: the map's head, both keys, the number and the text's head.
  private static let frameBytes = 15

  /// The number of the stream, from 0.
  let stream: Int
  /// A CBOR map `{"n": number, "text": "…"}` in the deterministic encoding of RFC 8949, section 4.2.1.
  let payload: [UInt8]

  /// The name of the stream.
  var streamName: String { Self.name(ofStream: stream) }

  /// The name of a stream: `stream/` and six digits or more.
  static func name(ofStream stream: Int) -> String {
    let digits = String(stream)
    return "stream/" + String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }

  /// The event with this place in the workload and a text of random letters.
  init(stream: Int, index: UInt32, random: inout SplitMix64) {
    self.stream = stream
    // From 65,536 to 2^32 - 1 every number takes four bytes, so that all payloads have one size.
    let number = max(index, UInt32.max - index)
    let textBytes = Self.payloadBytes - Self.frameBytes
    var bytes: [UInt8] = [0xa2, 0x61, UInt8(ascii: "n"), 0x1a]
    bytes.reserveCapacity(Self.payloadBytes)
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    bytes += [0x64] + "text".utf8 + [0x78, UInt8(textBytes)]
    var word: UInt64 = 0
    for letter in 0..<textBytes {
      if letter % 8 == 0 { word = random.next() }
      bytes.append(UInt8(ascii: "a") + UInt8(truncatingIfNeeded: word & 0xff) % 26)
      word >>= 8
    }
    payload = bytes
  }
}
