import Testing

@testable import AnnalsSchema

@Suite struct ContextTableTests {
  /// Random rows with keys of 0 to 12 bytes, few enough letters that many share a beginning.
  private func rows(_ count: Int, _ generator: inout SeededGenerator) -> [[UInt8]: [UInt8]] {
    var rows: [[UInt8]: [UInt8]] = [:]
    for _ in 0..<count {
      let key = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
        ([0, 1, 97, 98, 255] as [UInt8]).randomElement(using: &generator) ?? 0
      }
      rows[key] = (0..<Int.random(in: 0...40, using: &generator)).map { UInt8(truncatingIfNeeded: $0) }
    }
    return rows
  }

  @Test(arguments: RunLength.computing(24))
  func `a table finds the same values as a dictionary, even with the least memory`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let rows = rows(Int.random(in: 0...20_000, using: &generator), &generator)
    let chunks = ContextChunk.chunks(of: rows.map { ($0.key, $0.value) })
    let table = ContextTable(firstKeys: chunks.map(\.first), cacheBytes: 0) { chunks[$0].bytes }
    for (key, value) in rows.prefix(3_000) {
      #expect(try table.value(forKey: key) == value)
      let other = key + [97]
      #expect(try table.value(forKey: other) == rows[other])
    }
    #expect(try table.value(forKey: []) == rows[[]])
    let sorted = rows.sorted { $0.key.lexicographicallyPrecedes($1.key) }
    #expect(try table.rows().map(\.key) == sorted.map(\.key))
    #expect(try table.rows().map(\.value) == sorted.map(\.value))
  }

  @Test(arguments: [0, 1, 2, 3, 0xff] as [UInt8])
  func `chunks whose keys all begin alike are searched too`(byte: UInt8) throws {
    let start = [UInt8](repeating: byte, count: 8)
    let rows = (0..<3_000 as Range<UInt32>).map {
      (key: start + [UInt8](bigEndian: $0), value: [UInt8](bigEndian: ~$0))
    }
    let table = ContextTable(rows)
    #expect(table.firstKeys.count > 2)
    for row in rows { #expect(try table.value(forKey: row.key) == row.value) }
    #expect(try table.value(forKey: start) == nil)
    #expect(try table.value(forKey: start + [UInt8](bigEndian: .max)) == nil)
    let prefix = start.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    #expect(try table.values(beginningWith: prefix) == rows.map(\.value))
    if prefix > 0 { #expect(try table.values(beginningWith: prefix - 1).isEmpty) }
    if prefix < .max { #expect(try table.values(beginningWith: prefix + 1).isEmpty) }
  }

  @Test func `of two rows with one key the last one counts`() throws {
    let table = ContextTable([([1], [1]), ([2], [2]), ([1], [3])])
    #expect(try table.value(forKey: [1]) == [3])
    #expect(try table.rows().count == 2)
  }

  @Test(arguments: RunLength.computing(24))
  func `a chunk with any byte changed or cut off is read or refused, and nothing else`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let rows = rows(40, &generator)
    let chunk = try #require(ContextChunk.chunks(of: rows.map { ($0.key, $0.value) }).first).bytes
    var refused = 0
    for _ in 0..<400 {
      var damaged = chunk
      if Bool.random(using: &generator) {
        damaged.removeLast(Int.random(in: 1...chunk.count, using: &generator))
      } else {
        damaged[Int.random(in: 0..<chunk.count, using: &generator)] = .random(
          in: .min ... .max, using: &generator)
      }
      let span = damaged.span
      do {
        let chunk = try ContextChunk(span)
        for index in 0..<chunk.count { _ = try chunk.row(index).value.count }
        let key: [UInt8] = rows.keys.randomElement(using: &generator) ?? []
        _ = try chunk.value(of: key.span, in: .random(in: 0...9, using: &generator)..<(.max))?.count
      } catch {
        refused += 1
      }
    }
    // The point is that nothing traps. Some of the damage is found here already, before any checksum.
    #expect(refused > 50)
  }

  @Test func `a chunk that cannot be fetched is reported, and requested again`() throws {
    let table = ContextTable(firstKeys: [[1]]) { (_) throws(AnnalsError) in
      throw AnnalsError(.inputOutput, "the disk is away")
    }
    for _ in 0..<2 {
      let error = #expect(throws: AnnalsError.self) { try table.value(forKey: [1]) }
      #expect(error?.code == .inputOutput)
    }
  }

  @Test func `many threads find the same in a small cache`() async {
    let rows = (0..<30_000 as Range<UInt32>).map {
      (key: [UInt8](bigEndian: $0), value: [UInt8](bigEndian: ~$0))
    }
    let chunks = ContextChunk.chunks(of: rows)
    let table = ContextTable(firstKeys: chunks.map(\.first), cacheBytes: 0) { chunks[$0].bytes }
    let wrong = await withTaskGroup(of: Int.self) { group in
      for start in 0..<4 {
        group.addTask {
          var wrong = 0
          for index in stride(from: start * 7, to: rows.count, by: 11) {
            if (try? table.value(forKey: rows[index].key)) != rows[index].value { wrong += 1 }
          }
          return wrong
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }
}

extension [UInt8] {
  fileprivate init(bigEndian number: UInt32) {
    self = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}

extension ContextTable {
  /// The value of `key`; `nil` if there is none.
  fileprivate func value(forKey key: [UInt8]) throws(AnnalsError) -> [UInt8]? {
    var found: [UInt8]?
    return try lookUp(key, { found = $0.copied }) ? found : nil
  }
}
