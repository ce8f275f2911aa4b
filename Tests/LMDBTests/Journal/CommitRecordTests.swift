import Testing

@testable import LMDB

@Suite struct `A record of a commit` {
  private typealias Change = CommitRecord.Change

  private static let numbers = Table(definition: TableDefinition("numbers", integerKeys: true), number: 2)
  private static let names = Table(definition: TableDefinition("names", integerKeys: false), number: 3)

  private static let run = [UInt8](1...16)

  private static func bytes(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// A record of random changes, and the changes.
  private static func generated(_ random: inout SeededGenerator) -> (CommitRecord, [Change]) {
    var record = CommitRecord(limit: CommitJournal.slotSize)
    var changes: [Change] = []
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let isNumber = Bool.random(using: &random)
      let table = isNumber ? numbers : names
      let key = bytes(isNumber ? 8 : Int.random(in: 1...511, using: &random), &random)
      let name = table.definition.name
      if Int.random(in: 0..<4, using: &random) == 0 {
        record.delete(table, key.span)
        changes.append(.delete(table: name, key: key))
      } else {
        let value = bytes(Int.random(in: 0...700, using: &random), &random)
        record.put(table, key.span, value.span)
        changes.append(.put(table: name, key: key, value: value))
      }
    }
    return (record, changes)
  }

  @Test(arguments: UInt64(1)...200) func `recorded changes are read back`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let (record, changes) = Self.generated(&random)
    #expect(record.isComplete)
    let number = UInt64.random(in: 1...1 << 60, using: &random)
    let base = UInt32.random(in: 0 ... .max, using: &random)
    let rest = Self.bytes(Int.random(in: 0...99, using: &random), &random)
    let slot = record.encoded(transaction: number, base: base, fileRun: Self.run) + rest
    let found = CommitRecord.Header(slot.span)
    let header = try #require(found)
    #expect(
      header.transaction == number && header.base == base && header.count == changes.count
        && header.fileRun == Self.run)
    let read = CommitRecord.changes(slot.span, header)
    #expect(read == changes)
  }

  @Test(arguments: UInt64(1)...40) func `a record with any bit changed, or cut off, is none`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let slot = Self.generated(&random).0.encoded(transaction: seed, base: 7, fileRun: Self.run)
    for _ in 0..<200 {
      var spoilt = slot
      let index = spoilt.indices.randomElement(using: &random) ?? 0
      spoilt[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      let isWhole = CommitRecord.Header(spoilt.span) != nil
      #expect(!isWhole)
      let torn = Array(slot.prefix(index)) + [UInt8](repeating: 0, count: slot.count - index)
      let isTornWhole = CommitRecord.Header(torn.span) != nil
      #expect(!isTornWhole || torn == slot)
    }
  }

  @Test func `its bytes are those of the format`() {
    var record = CommitRecord(limit: 1000)
    let (key, value) = ([UInt8]([1, 0, 0, 0, 0, 0, 0, 0]), [UInt8]("ab".utf8))
    record.put(Self.numbers, key.span, value.span)
    record.delete(Self.names, value.span)
    let bytes = record.encoded(transaction: 0x0102, base: 0xA0B0_C0D0, fileRun: Self.run)
    #expect(Array(bytes[0..<8]) == Array("AnnalsJ1".utf8))
    #expect(Array(bytes[8..<16]) == [2, 1, 0, 0, 0, 0, 0, 0])
    #expect(Array(bytes[16..<28]) == [88, 0, 0, 0, 2, 0, 0, 0, 0xD0, 0xC0, 0xB0, 0xA0])
    #expect(Array(bytes[28..<44]) == Self.run)
    #expect(
      Array(bytes[48...])
        == [1, 7, 8, 0, 2, 0, 0, 0] + Array("numbers".utf8) + key + value
        + [2, 5, 2, 0, 0, 0, 0, 0] + Array("names".utf8) + value)
    let checksum = crc32c(crc32c(0, bytes.span.extracting(0..<44)), bytes.span.extracting(48..<88))
    let stored = bytes.span.number32(at: 44)
    #expect(stored == checksum)
  }

  @Test func `changes beyond its limit leave it incomplete`() {
    var record = CommitRecord(limit: 100)
    let key: [UInt8] = [1]
    record.put(Self.names, key.span, [UInt8](repeating: 1, count: 30).span)
    #expect(record.isComplete)
    record.put(Self.names, key.span, [UInt8](repeating: 1, count: 60).span)
    record.delete(Self.names, key.span)
    #expect(!record.isComplete)
  }
}
