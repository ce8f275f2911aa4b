import Testing

@testable import AnnalsCoding

struct LineReaderTests {
  /// The lines of `text` with their numbers, fed in chunks of `size` bytes.
  private func lines(_ text: String, size: Int, limit: Int = 1000) throws -> [String] {
    var reader = LineReader(lengthLimit: limit)
    var lines: [String] = []
    let bytes = [UInt8](text.utf8)
    var start = 0
    while start < bytes.count {
      let chunk = [UInt8](bytes[start..<min(start + size, bytes.count)])
      reader.feed(chunk.span)
      start += size
      while let line = try reader.next() {
        lines.append("\(reader.number) \(String(decoding: line, as: UTF8.self))")
      }
    }
    reader.end()
    while let line = try reader.next() {
      lines.append("\(reader.number) \(String(decoding: line, as: UTF8.self))")
    }
    return lines
  }

  @Test(arguments: [1, 2, 3, 5, 100])
  func `lines are the same however the bytes come`(size: Int) throws {
    #expect(try lines("{}\n[1]\r\n\n \t\r\nlast", size: size) == ["1 {}", "2 [1]", "5 last"])
    #expect(try lines("\u{feff}a\n\u{feff}b\n", size: size) == ["1 a", "2 \u{feff}b"])
    #expect(try lines("a\n\n", size: size) == ["1 a"])
    #expect(try lines("", size: size) == [])
    #expect(try lines("\u{feff}", size: size) == [])
    #expect(try lines("\r", size: size) == [])
    #expect(try lines("x", size: size) == ["1 x"])
  }

  @Test(arguments: [1, 4, 100])
  func `a line longer than the limit is refused with its number, ended or not`(size: Int) throws {
    #expect(try lines("ab\nabcde\n", size: size, limit: 5) == ["1 ab", "2 abcde"])
    let failure = JSONFailure(reason: .lineTooLong, line: 2, column: 6)
    #expect(throws: failure) { try lines("ab\nabcdef\n", size: size, limit: 5) }
    #expect(throws: failure) { try lines("ab\nabcdef", size: size, limit: 5) }
  }

  @Test func `a long line in small chunks takes linear time`() throws {
    let text = String(repeating: "x", count: 3_000_000)
    #expect(try lines(text, size: 1000, limit: 4_000_000).first?.utf8.count == 3_000_002)
  }
}
