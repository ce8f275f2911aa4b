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
    #expect(Array(bytes[0..<8]) == Array("AnnalsJ2".utf8))
    #expect(Array(bytes[8..<16]) == [2, 1, 0, 0, 0, 0, 0, 0])
    #expect(Array(bytes[16..<28]) == [100, 0, 0, 0, 2, 0, 0, 0, 0xD0, 0xC0, 0xB0, 0xA0])
    #expect(Array(bytes[28..<44]) == Self.run)
    #expect(Array(bytes[44..<60]) == Self.hash)
    #expect(
      Array(bytes[60...])
        == [1, 7, 8, 0, 2, 0, 0, 0] + Array("numbers".utf8) + key + value
        + [2, 5, 2, 0, 0, 0, 0, 0] + Array("names".utf8) + value)
  }

  /// The hash of the record above, by another program (docs/journal.md).
  private static let hash: [UInt8] = [
    52, 31, 92, 126, 54, 83, 29, 192, 158, 82, 230, 225, 35, 175, 140, 149,
  ]

  /// A record as earlier libraries wrote it.
  private static func earlier(_ changes: [UInt8], count: UInt8, number: UInt8) -> [UInt8] {
    var bytes = Array("AnnalsJ1".utf8) + [number, 0, 0, 0, 0, 0, 0, 0]
    bytes += [UInt8(truncatingIfNeeded: 48 + changes.count), 0, 0, 0, count, 0, 0, 0, 7, 0, 0, 0] + run
    let checksum = crc32c(crc32c(0, bytes.span), changes.span)
    for index in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: checksum >> (8 * index))) }
    return bytes + changes
  }

  @Test func `a record of an earlier library is read`() throws {
    let changes =
      [1, 7, 8, 0, 2, 0, 0, 0] + Array("numbers".utf8) + [1, 0, 0, 0, 0, 0, 0, 0] + Array("ab".utf8)
    let slot = Self.earlier(changes, count: 1, number: 9) + [UInt8](repeating: 3, count: 99)
    let found = CommitRecord.Header(slot.span)
    let header = try #require(found)
    #expect(header.transaction == 9 && header.base == 7 && header.fileRun == Self.run)
    let read = CommitRecord.changes(slot.span, header)
    #expect(read == [.put(table: "numbers", key: [1, 0, 0, 0, 0, 0, 0, 0], value: Array("ab".utf8))])
    for index in 0..<slot.count - 99 {
      var spoilt = slot
      spoilt[index] ^= 1
      let isWhole = CommitRecord.Header(spoilt.span) != nil
      #expect(!isWhole, "byte \(index)")
    }
  }

  /// A value that ends with its own CRC-32C, as all rows of a log do.
  private static func sealed(_ count: Int, _ random: inout SeededGenerator) -> [UInt8] {
    // Mostly the same bytes, as in large texts.
    var value = [UInt8](repeating: 120, count: count)
    value[0] = UInt8.random(in: 0...255, using: &random)
    let checksum = crc32c(0, value.span)
    for index in 0..<4 { value.append(UInt8(truncatingIfNeeded: checksum >> (8 * index))) }
    return value
  }

  @Test(arguments: UInt64(1)...100) func `a record with sectors of another one of its size is none`(
    seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    var pair = [CommitRecord(limit: CommitJournal.slotSize), CommitRecord(limit: CommitJournal.slotSize)]
    for number in 0..<Int.random(in: 2...20, using: &random) {
      let size = Int.random(in: 1...900, using: &random)
      let first = Self.sealed(size, &random)
      let second = Bool.random(using: &random) ? first : Self.sealed(size, &random)
      for (index, value) in [first, second].enumerated() {
        CommitRecord.with(UInt64(number)) { pair[index].put(Self.numbers, $0, value.span) }
      }
    }
    let newer = pair[0].encoded(transaction: 9, base: 7, fileRun: Self.run)
    let older = pair[1].encoded(transaction: 7, base: 5, fileRun: Self.run)
    let sectors = Array(stride(from: 0, to: newer.count, by: 512))
    for _ in 0..<60 {
      var torn = newer
      for start in sectors where Bool.random(using: &random) {
        let sector = start..<min(start + 512, newer.count)
        torn.replaceSubrange(sector, with: older[sector])
      }
      let isWhole = CommitRecord.Header(torn.span) != nil
      #expect(isWhole == (torn == newer || torn == older), "seed \(seed)")
    }
  }

  @Test func `changes beyond its limit leave it incomplete`() {
    var record = CommitRecord(limit: 112)
    let key: [UInt8] = [1]
    record.put(Self.names, key.span, [UInt8](repeating: 1, count: 30).span)
    #expect(record.isComplete)
    record.put(Self.names, key.span, [UInt8](repeating: 1, count: 60).span)
    record.delete(Self.names, key.span)
    #expect(!record.isComplete)
  }
}
