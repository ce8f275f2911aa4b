import Foundation
import Testing

@testable import AnnalsFormat

@Suite struct RowTests {
  @Test func `a row ends in the checksum of its key and value`() throws {
    let sealed = Row.seal([1, 2, 3], key: [9])
    #expect(sealed.count == 7)
    #expect(Array(sealed[3...]) == Row.key(UInt64(Checksum.crc32c([9, 1, 2, 3].span))).prefix(4).map { $0 })
    #expect(try Row.open(sealed.span, key: ([9] as [UInt8]).span) == 0..<3)
  }

  @Test func `a row under another key is damage`() {
    let sealed = Row.seal([1, 2, 3], key: [9])
    #expect(throws: FormatFailure(.checksum, at: 3)) { try Row.open(sealed.span, key: ([8] as [UInt8]).span) }
    #expect(throws: FormatFailure.self) { try Row.open([1, 2].span, key: ([9] as [UInt8]).span) }
  }

  @Test func `rows are read back`() throws {
    let stream = StreamRow(state: .live, id: 300)
    #expect(stream.encoded() == [0, 0xac, 0x02])
    #expect(try StreamRow(stream.encoded().span) == stream)

    var schema = SchemaRow(version: SchemaVersion(2, 10, 300))
    schema.stability = .bridge
    schema.phase = .active
    schema.release = 9
    #expect(schema.encoded() == [1, 2, 10, 0xac, 0x02, 2, 2, 9])
    #expect(try SchemaRow(schema.encoded().span) == schema)
    #expect(SchemaRow(version: nil).encoded() == [0, 0, 0, 0])
    #expect(try SchemaRow(SchemaRow(version: nil).encoded().span) == SchemaRow(version: nil))

    let declared = KindRow(
      ordinal: 1, name: "é", shape: .declared(fingerprint: Array(repeating: 7, count: 32), text: "int"),
      first: 5)
    #expect(try KindRow(declared.encoded().span) == declared)

    var noted = declared
    noted.oldestReader = SchemaVersion(1, 0, 300)
    #expect(noted.encoded().dropFirst(4).first == 2)
    #expect(noted.encoded().suffix(6) == [1, 1, 0, 0xac, 0x02, 5])
    #expect(try KindRow(noted.encoded().span) == noted)

    var census = CensusRow()
    census.parts = 1
    census.bytes = 200
    #expect(census.encoded() == [1, 0xc8, 0x01, 0, 0])
    #expect(try CensusRow(census.encoded().span) == census)
  }

  @Test func `a kind that names its readers names a version`() {
    let declared = KindRow(
      ordinal: 1, name: "a", shape: .declared(fingerprint: Array(repeating: 7, count: 32), text: "()"),
      first: 5)
    var bytes = declared.encoded()
    bytes[3] = 2
    // No version precedes the position.
    bytes.insert(0, at: bytes.count - 1)
    #expect(throws: FormatFailure.self) { try KindRow(bytes.span) }
  }

  @Test func `a kind without a name is refused`() {
    #expect(throws: FormatFailure(.text, at: 1)) {
      try KindRow(KindRow(ordinal: 1, name: "", first: 5).encoded().span)
    }
  }

  @Test func `the rows of meta are read back`() throws {
    var meta = StoreMeta(log: UUID())
    meta.generation = 3
    meta.state = .building(pass: UUID())
    meta.epoch = 1
    meta.schemaEpoch = 2
    meta.first = 4
    meta.checkpoint = 1_000_000
    meta.window = 100
    meta.isDense = false
    meta.incarnation = (2, 77)
    meta.requires = [.init(name: "tags", isForReading: true), .init(name: "held", isForReading: false)]
    var read = StoreMeta(log: UUID())
    for (name, value) in meta.rows() { try read.set(name, to: value.span) }
    #expect(read == meta)
  }

  @Test func `another format and another order of bytes are refused`() {
    var meta = StoreMeta(log: UUID())
    #expect(throws: FormatFailure(.laterFormat, at: 0)) {
      try meta.set(.format, to: ([2, 0, 0, 0] as [UInt8]).span)
    }
    #expect(throws: FormatFailure(.value, at: 0)) {
      try meta.set(.endianness, to: ([1, 2, 3, 4, 5, 6, 7, 8] as [UInt8]).span)
    }
  }
}
