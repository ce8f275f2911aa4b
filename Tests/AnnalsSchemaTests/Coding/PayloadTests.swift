import Testing

struct PayloadTests {
  /// What the strict reader and the check, which must agree, say of `bytes`.
  private func failure(_ bytes: [UInt8]) -> CodingFailure? {
    var reader: CodingFailure?
    do {
      _ = try CBOR(payload: bytes)
    } catch {
      reader = error
    }
    do {
      try PayloadCheck.validate(bytes.span)
      #expect(reader == nil)
    } catch {
      #expect(reader == error)
    }
    return reader
  }

  @Test(
    arguments: [
      ("", .truncated, 0),
      ("5b8000000000000000010203", .truncated, 9),
      ("7bffffffffffffffff616263", .truncated, 9),
      ("9affffffff00", .truncated, 5),
      ("9b000000010000000000", .truncated, 9),
      ("bb800000000000000000", .truncated, 9),
      ("a16161", .truncated, 3),
      ("1801", .notCanonical, 0), ("1900ff", .notCanonical, 0), ("1a0000ffff", .notCanonical, 0),
      ("1b00000000ffffffff", .notCanonical, 0), ("3817", .notCanonical, 0), ("5801aa", .notCanonical, 0),
      ("780161", .notCanonical, 0), ("980100", .notCanonical, 0), ("b801616100", .notCanonical, 0),
      ("9fff", .notCanonical, 0), ("bfff", .notCanonical, 0), ("5f4100ff", .notCanonical, 0),
      ("7f6161ff", .notCanonical, 0),
      ("a2616100616100", .duplicateKey, 4), ("a2616200616100", .unsortedKeys, 4),
      ("a262616100616200", .unsortedKeys, 5),
      ("61ff", .invalidText, 1), ("64f0808080", .invalidText, 1), ("63eda080", .invalidText, 1),
      ("a161ff00", .invalidText, 2), ("62c328", .invalidText, 1),
      ("fa3fc00000", .notCanonical, 0), ("fb3ff8000000000000", .notCanonical, 0),
      ("fb7ff8000000000000", .notCanonical, 0), ("fa7fc00000", .notCanonical, 0),
      ("fb36a0000000000000", .notCanonical, 0),
      ("c000", .unsupported, 0), ("c249010000000000000000", .unsupported, 0), ("d9d9f700", .unsupported, 0),
      ("f7", .unsupported, 0), ("f0", .unsupported, 0), ("f8ff", .unsupported, 0), ("f818", .malformed, 0),
      ("ff", .malformed, 0), ("81ff", .malformed, 1),
      ("1c", .malformed, 0), ("3d", .malformed, 0), ("fe", .malformed, 0), ("1f", .malformed, 0),
      ("df00", .malformed, 0),
      ("a10000", .unsupported, 1), ("a1f600", .unsupported, 1), ("a1410000", .unsupported, 1),
      ("0000", .trailingBytes, 1), ("a000", .trailingBytes, 1),
    ] as [(String, CodingFailure.Reason, Int)])
  func `bytes that are no payload are refused with reason and offset`(
    digits: String, reason: CodingFailure.Reason, offset: Int
  ) {
    let failure = failure(hex(digits))
    #expect(failure?.reason == reason)
    #expect(failure?.offset == offset)
  }

  @Test(arguments: [100_000, 10_000, 133])
  func `arrays nested too deep are refused without entering them`(depth: Int) {
    let failure = failure([UInt8](repeating: 0x81, count: depth) + [0])
    #expect(failure == CodingFailure(.tooDeep, at: 132))
  }

  @Test(arguments: [100_000, 133])
  func `the general reader refuses tags, arrays and maps nested too deep`(depth: Int) {
    for nest in ["81", "a100", "c1", "9f", "bf00"] {
      let nest = hex(nest)
      let bytes = [UInt8]([[UInt8]](repeating: nest, count: depth).joined())
      #expect(throws: CodingFailure(.tooDeep, at: 132 * nest.count)) { try CBOR(decoding: bytes) }
    }
  }

  @Test func `132 nested arrays are read and written`() throws {
    let bytes = [UInt8](repeating: 0x81, count: 132) + [0]
    #expect(failure(bytes) == nil)
    #expect(try CBOR(payload: bytes).encodedPayload() == bytes)
  }

  @Test func `a payload cut off anywhere is truncated`() throws {
    let bytes = try CBOR.map([
      .init("title", "Bench press ü"), .init("reps", 8), .init("big", .unsigned(.max)), .init("weight", 82.1),
      .init("half", 0.5), .init("raw", .bytes([1, 2, 3])), .init("list", [1, .null, true, ["a": -1]]),
    ]).encodedPayload()
    for end in 0..<bytes.count {
      #expect(failure([UInt8](bytes[..<end]))?.reason == .truncated)
    }
  }

  @Test func `keys are sorted by their encoded bytes, the shorter first`() throws {
    let value: CBOR = ["b": 1, "aa": 2, "a": 3, "é": 4, "": 5]
    #expect(try hex(value.encodedPayload()) == "a5" + "6005" + "616103" + "616201" + "62616102" + "62c3a904")
  }

  @Test func `keys that differ only in normalisation may occur together`() throws {
    let value: CBOR = ["e\u{301}": 1, "\u{e9}": 2]
    #expect(try hex(value.encodedPayload()) == "a2" + "62c3a902" + "6365cc8101")
    #expect(try CBOR(payload: value.encodedPayload()) == value)
  }

  @Test(
    arguments: [
      (["a": 1, "a": 2], .duplicateKey), (["b": 1, "a": 2, "b": 1], .duplicateKey), ([1: 2], .unsupported),
      (.tagged(1, 0), .unsupported), ([.undefined], .unsupported), (.simple(0), .unsupported),
      (.simple(255), .unsupported),
    ] as [(CBOR, CodingFailure.Reason)])
  func `a tree that no payload may hold is refused`(value: CBOR, reason: CodingFailure.Reason) {
    #expect { try value.encodedPayload() } throws: { ($0 as? CodingFailure)?.reason == reason }
  }

  @Test func `a tree too deep is refused by both writers`() {
    var value: CBOR = 0
    for _ in 0..<133 {
      value = [value]
    }
    #expect { try value.encodedPayload() } throws: { ($0 as? CodingFailure)?.reason == .tooDeep }
    #expect { try value.encoded() } throws: { ($0 as? CodingFailure)?.reason == .tooDeep }
  }

  @Test(arguments: [20, 23, 24, 31] as [UInt8])
  func `a simple value that has another case or no bytes is not written`(number: UInt8) {
    #expect { try CBOR.simple(number).encoded() } throws: { ($0 as? CodingFailure)?.reason == .unsupported }
  }

  @Test func `the check distinguishes arrays from maps`() throws {
    #expect(try PayloadCheck.validate(hex("80").span) == .array)
    #expect(try PayloadCheck.validate(hex("a0").span) == .map)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `a random tree is read back equal and written as the same bytes`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let value = CBOR.random(using: &generator)
      let bytes = try value.encodedPayload()
      #expect(failure(bytes) == nil)
      let strict = try CBOR(payload: bytes)
      #expect(strict == value)
      #expect(strict.hashValue == value.hashValue)
      #expect(try CBOR(decoding: bytes) == value)
      #expect(try strict.encodedPayload() == bytes)
      #expect(try strict.encoded() == bytes)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `random bytes are read or refused, and the values that are read are written the same`(seed: UInt64)
    throws
  {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<2000 {
      var bytes: [UInt8]
      if Bool.random(using: &generator) {
        bytes = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
          .random(in: 0...255, using: &generator)
        }
      } else {
        bytes = try CBOR.random(using: &generator, depth: 2).encodedPayload()
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        bytes[index] = .random(in: 0...255, using: &generator)
      }
      if failure(bytes) == nil {
        #expect(try CBOR(payload: bytes).encodedPayload() == bytes)
        #expect(try CBOR(decoding: bytes) == CBOR(payload: bytes))
      } else if let value = try? CBOR(decoding: bytes) {
        #expect(try CBOR(decoding: value.encoded()) == value)
      }
    }
  }
}
