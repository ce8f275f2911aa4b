import AnnalsTestSupport
import Testing

@testable import AnnalsCoding
@testable import AnnalsKeys

@Suite struct SubjectKeyTests {
  @Test func `a box opens with its key and context, and with no other`() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let (key, other) = (try SubjectKey.random(), try SubjectKey.random())
      let value = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        UInt8.random(in: 0...255, using: &generator)
      }
      let context = Array("context \(value.count)".utf8)
      let box = try key.seal(value, in: context)
      #expect(box.count == SubjectKey.nonceSize + value.count + SubjectKey.tagSize)
      #expect(try key.open(box, in: context) == value)
      #expect(try other.open(box, in: context) == nil)
      #expect(try key.open(box, in: context + [0]) == nil)
      var damaged = box
      damaged[Int.random(in: 0..<box.count, using: &generator)] ^=
        1 << UInt8.random(in: 0...7, using: &generator)
      #expect(try key.open(damaged, in: context) == nil)
      #expect(try key.open(Array(box.dropLast()), in: context) == nil)
      #expect(try key.open(Array(box.prefix(39)), in: context) == nil)
    }
  }

  @Test func `a value is encrypted to other bytes each time`() throws {
    let key = try SubjectKey.random()
    let boxes = try (0..<100).map { _ in try key.seal([1, 2, 3], in: []) }
    #expect(Set(boxes).count == 100)
    #expect(Set(boxes.map { Array($0.prefix(24)) }).count == 100)
  }

  @Test func `the cipher is XChaCha20-Poly1305, as its published example has it`() throws {
    // draft-irtf-cfrg-xchacha-03, appendix A.3.1.
    let key = try #require(SubjectKey((0x80...0x9f).map { UInt8($0) }))
    let nonce = (0x40...0x57).map { UInt8($0) }
    let context: [UInt8] = [0x50, 0x51, 0x52, 0x53, 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7]
    let text =
      "Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it."
    let sealed =
      "bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c97637da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49"
    let bytes = stride(from: 0, to: sealed.utf8.count, by: 2).map { index -> UInt8 in
      let start = sealed.index(sealed.startIndex, offsetBy: index)
      return UInt8(sealed[start..<sealed.index(start, offsetBy: 2)], radix: 16) ?? 0
    }
    #expect(try key.open(nonce + bytes, in: context) == Array(text.utf8))
  }

  @Test func `a row is read as it was written, and no other bytes are`() throws {
    let row = KeyRow(keys: [
      .init(number: 7, key: try SubjectKey.random().bytes),
      .init(number: .max, key: try SubjectKey.random().bytes),
    ])
    #expect(try KeyRow(row.encoded().span) == row)
    #expect(try KeyRow(KeyRow.dropped.encoded().span).isDropped)
    #expect(KeyRow.dropped.encoded() == [0])
    #expect(row.encoded().prefix(5) == [2, 7, 0, 0, 0])
    let bytes = row.encoded()
    for count in 0..<bytes.count {
      #expect(throws: FormatFailure.self) { try KeyRow(Array(bytes.prefix(count)).span) }
    }
    #expect(throws: FormatFailure.self) { try KeyRow((bytes + [0]).span) }
  }
}
