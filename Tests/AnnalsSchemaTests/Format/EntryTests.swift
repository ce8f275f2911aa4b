import Foundation
import Testing

@testable import AnnalsCoding
@testable import AnnalsFormat

@Suite struct EntryTests {
  /// The bytes of an entry at `position`; without a stream's id it is the first of its stream.
  private func bytes(
    at position: Position, kind: UInt32, time: Int64 = 0, name: String = "", stream: UInt64 = 0,
    revision: Revision = 0, links: EntryLinks = [], isEndOfCall: Bool = false, id: UUID? = nil,
    metadata: [UInt8] = [], rows: [UInt8] = [], body: EntryBody = .payload([0xa0])
  ) -> [UInt8] {
    let text = Array(name.utf8)
    let content = body.encoded()
    var draft = EntryDraft(
      kind: kind, time: time, name: text.span, metadata: metadata.span, rows: rows.span, body: content.span,
      form: body.form)
    draft.stream = stream
    draft.revision = revision
    draft.links = links
    draft.isEndOfCall = isEndOfCall
    draft.id = id
    return draft.encoded(at: position)
  }

  private let rows = EntryRows(new: [
    EntryRows.New(
      kind: 3, kindRow: KindRow(ordinal: 1, name: "MatchStarted", first: 42),
      schemaRow: SchemaRow(version: SchemaVersion(1, 0, 0)))
  ])

  /// A first entry with everything that one may have.
  private var first: [UInt8] {
    bytes(
      at: 42, kind: 3, time: 1_208_476_800_000_000, name: "match/335982", isEndOfCall: true,
      id: UUID(bytes: Array(1...16)), metadata: [0xa1, 0x61, 0x61, 0x01], rows: rows.encoded())
  }

  @Test func `a first entry has these bytes`() {
    // format 1, flags 0x002f, checksum, kind 3, time, name, revision 0, id, metadata, rows, payload
    let expected: [UInt8] =
      [1, 0x2f, 0x00, 0, 0, 0, 0, 3, 0x00, 0x20, 0x62, 0x6e, 0x1a, 0x4b, 0x04, 0x00]
      + [12] + Array("match/335982".utf8) + [0] + Array(1...16) + [4, 0xa1, 0x61, 0x61, 0x01]
      + [1, 3, 16, 1, 12] + Array("MatchStarted".utf8) + [0, 42] + [7, 1, 1, 0, 0, 0, 0, 0] + [0xa0]
    var found = first
    found.replaceSubrange(3..<7, with: [0, 0, 0, 0])
    #expect(found == expected)
  }

  @Test func `a later entry has these bytes`() {
    var found = bytes(at: 300, kind: 1, time: -1, stream: 5, revision: 4, links: [3, 10])
    found.replaceSubrange(3..<7, with: [0, 0, 0, 0])
    #expect(
      found == [1, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 5, 4, 3, 10, 0xa0])
  }

  @Test func `a header gives the places of its parts`() throws {
    let bytes = first
    let header = try EntryHeader(bytes.span, at: 42)
    #expect(header.kind == 3)
    #expect(header.time == 1_208_476_800_000_000)
    #expect(header.stream == 42)
    #expect(Array(bytes[header.name]) == Array("match/335982".utf8))
    #expect(header.revision == 0)
    #expect(Array(bytes[header.id]) == Array(1...16))
    #expect(Array(bytes[header.metadata]) == [0xa1, 0x61, 0x61, 0x01])
    #expect(try EntryRows(bytes.span, at: header.rows) == rows)
    #expect(try EntryBody(bytes.span, header: header) == .payload([0xa0]))
  }

  @Test func `links are read by level`() throws {
    let bytes = bytes(at: 300, kind: 1, stream: 5, revision: 16, links: [1, 200, 270])
    let header = try EntryHeader(bytes.span, at: 300)
    #expect(try (0...2).map { try header.linked(level: $0, from: 300, in: bytes.span) } == [299, 100, 30])
  }

  @Test func `parts and stubs are read back`() throws {
    let bodies: [EntryBody] = [
      .parts([
        .init(kind: 4, path: [0], payload: [0xa0]), .init(kind: 9, path: [1, 300], payload: [0x80]),
      ]),
      .stub(Stub(cause: .rule, from: nil, to: SchemaVersion(2, 0, 0), reason: "noise")),
    ]
    for body in bodies {
      let bytes = bytes(at: 2, kind: 7, stream: 1, revision: 1, links: [1], body: body)
      let header = try EntryHeader(bytes.span, at: 2)
      #expect(try EntryBody(bytes.span, header: header) == body)
      #expect(header.kind == (body.isParts ? 0 : 7))
    }
  }

  @Test func `every flipped bit is noticed`() {
    let bytes = first
    for index in bytes.indices {
      for bit in 0..<8 {
        var damaged = bytes
        damaged[index] ^= 1 << bit
        #expect(throws: FormatFailure.self) { try EntryHeader(damaged.span, at: 42) }
      }
    }
  }

  @Test func `an entry in another's place is noticed`() {
    let bytes = first
    #expect(throws: FormatFailure(.checksum, at: 3)) { try EntryHeader(bytes.span, at: 43) }
  }

  @Test(arguments: 0..<100) func `an entry cut short is refused`(cut: Int) {
    let bytes = first
    guard cut < bytes.count else { return }
    #expect(throws: FormatFailure.self) { try EntryHeader(Array(bytes[..<cut]).span, at: 42) }
  }

  /// Bytes with a right checksum around `change`.
  private func resealed(_ change: (inout [UInt8]) -> Void) -> [UInt8] {
    var bytes = first
    change(&bytes)
    let checksum = EntryHeader.checksum(of: bytes.span, at: 42)
    for (index, place) in EntryHeader.checksum.enumerated() {
      bytes[place] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
    }
    return bytes
  }

  @Test func `a later format is distinguished from damage`() {
    let format = resealed { $0[0] = 2 }
    #expect(throws: FormatFailure(.laterFormat, at: 0)) { try EntryHeader(format.span, at: 42) }
    let flags = resealed { $0[2] = 0x80 }
    #expect(throws: FormatFailure(.laterFormat, at: 1)) { try EntryHeader(flags.span, at: 42) }
  }

  @Test func `a length that lies under a right checksum is refused`() {
    let lying = resealed { $0[16] = 0xff }
    #expect(throws: FormatFailure.self) { try EntryHeader(lying.span, at: 42) }
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `random bytes under a right checksum never trap`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let random = resealed { bytes in
      for index in 7..<bytes.count where Int.random(in: 0..<3, using: &generator) == 0 {
        bytes[index] = UInt8.random(in: 0...255, using: &generator)
      }
    }
    if let header = try? EntryHeader(random.span, at: 42) {
      _ = try? EntryBody(random.span, header: header)
      _ = try? EntryRows(random.span, at: header.rows)
    }
  }
}
