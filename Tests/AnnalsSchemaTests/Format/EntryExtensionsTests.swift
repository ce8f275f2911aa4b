import Testing

@testable import AnnalsFormat

@Suite struct EntryExtensionsTests {
  /// An entry at position 1 whose extensions are these bytes.
  private func entry(_ extensions: [UInt8]) throws -> (bytes: [UInt8], header: EntryHeader) {
    let flags: UInt8 = extensions.isEmpty ? 0b0_0001 : 0b1_0001
    let rest = [1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 97, 0] + extensions + [0xa0]
    var checked: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    checked += [1, flags, 0] + rest
    let checksum = Checksum.crc32c(checked.span)
    let bytes =
      [1, flags, 0] + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) } + rest
    return (bytes, try EntryHeader(bytes.span, at: 1))
  }

  @Test func `keys keep their order while others come and go`() throws {
    let (bytes, header) = try entry([2, 3, 1, 30, 7, 2, 70, 71])
    var extensions = try EntryExtensions(bytes.span, header)
    #expect(extensions[3] == [30])
    #expect(extensions[7] == [70, 71])
    #expect(extensions[5] == nil)
    extensions[5] = [50]
    #expect(extensions.encoded() == [3, 3, 1, 30, 5, 1, 50, 7, 2, 70, 71])
    extensions[3] = nil
    extensions[7] = []
    #expect(extensions.encoded() == [2, 5, 1, 50, 7, 0])
  }

  @Test func `without extensions there is not even a count`() throws {
    let (bytes, header) = try entry([])
    var extensions = try EntryExtensions(bytes.span, header)
    #expect(extensions.encoded() == [])
    extensions[9] = [1]
    extensions[9] = nil
    #expect(extensions.encoded() == [])
  }

  @Test func `a mark of quarantine is read as it was written, and nothing else is one`() throws {
    let mark = QuarantineMark(from: nil, to: SchemaVersion(2, 0, 300), cause: "é")
    let bytes: [UInt8] = [0, 1, 2, 0, 0xac, 2, 2, 0xc3, 0xa9]
    #expect(mark.encoded() == bytes)
    #expect(try QuarantineMark(bytes.span) == mark)
    let longer = bytes + [0]
    #expect(throws: FormatFailure.self) { try QuarantineMark(longer.span) }
    // A pass leads to some version, always.
    let nowhere: [UInt8] = [0, 0, 0]
    #expect(throws: FormatFailure.self) { try QuarantineMark(nowhere.span) }
  }

  @Test func `only an entry with the mark counts as set aside`() throws {
    let (marked, markedHeader) = try entry([1, 1, 6, 0, 1, 2, 0, 0, 0])
    let (other, otherHeader) = try entry([1, 3, 1, 30])
    #expect(try markedHeader.isQuarantined(marked.span))
    #expect(try !otherHeader.isQuarantined(other.span))
  }
}
