import LMDB
import Testing

/// Rows that are read around damaged pages.
@Suite struct IntactRowsTests {
  private static let numbers = Shelf.tables[0]

  /// All that is found in a file, in order.
  private func all(_ shelf: Shelf) throws -> (rows: [UInt64: [UInt8]], damage: [ClosedRange<UInt64>]) {
    var (rows, damage): ([UInt64: [UInt8]], [ClosedRange<UInt64>]) = ([:], [])
    var intact = try IntactRows(Self.numbers, of: Shelf.file, in: shelf.directory)
    var key: UInt64 = 0
    while true {
      let last: UInt64
      switch intact.next(from: key) {
      case .end: return (rows, damage)
      case .row(let found, let value):
        // There are millions of rows, and an expectation costs more than reading one.
        if found < key || !areSame(intact.value(forKey: found), value) {
          Issue.record("key \(found) after \(key), with \(value.count) bytes")
        }
        rows[found] = value
        last = found
      case .damage(let through, let problem):
        #expect(through >= key && problem.hasPrefix("page "))
        damage.append(key...through)
        last = through
      }
      guard last < .max else { return (rows, damage) }
      key = last + 1
    }
  }

  /// All rows according to LMDB.
  private func expected(_ shelf: Shelf) throws -> [UInt64: [UInt8]] {
    let environment = try shelf.open(.readOnly)
    return try environment.read { (transaction) throws(EnvironmentError) in
      var rows: [UInt64: [UInt8]] = [:]
      var cursor = try transaction.view.integerCursor(in: environment.numbers)
      while let row = try cursor.next() { rows[row.key] = Array(copying: row.value) }
      return rows
    }
  }

  @Test func `a sound file has every row`() throws {
    let shelf = try Shelf.forest()
    let found = try all(shelf)
    #expect(found.damage.isEmpty)
    #expect(found.rows == (try expected(shelf)))
    var intact = try IntactRows(Self.numbers, of: Shelf.file, in: shelf.directory)
    #expect(intact.count == UInt64(found.rows.count))
    #expect(intact.value(forKey: 7) == nil)
    #expect(intact.value(forKey: .max) == nil)
  }

  @Test func `a page of zeros costs its own rows and no others`() throws {
    let shelf = try Shelf.forest()
    let sound = try shelf.bytes()
    let rows = try expected(shelf)
    var random = SeededGenerator(seed: 4_711)
    var withDamage = 0
    for _ in 0..<150 {
      let page = Int.random(in: 2..<sound.count / 4_096, using: &random)
      var bytes = sound
      bytes.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: repeatElement(0, count: 4_096))
      try shelf.overwrite(bytes)
      let kind = sound[page * 4_096 + 10]
      guard let found = try? all(shelf) else {
        // The list of tables is a single leaf of names.
        #expect(kind == 2)
        continue
      }
      if !found.damage.isEmpty { withDamage += 1 }
      #expect(found.damage.count <= 1, "page \(page)")
      for (key, value) in rows {
        if let lost = found.damage.first, lost.contains(key) {
          if found.rows[key] != nil { Issue.record("page \(page) has lost key \(key)") }
        } else if !areSame(found.rows[key], value) {
          // The inner page of a large value, which has no header.
          #expect(value.count == 20_000, "page \(page), key \(key)")
        }
      }
    }
    #expect(withDamage > 20)
  }

  @Test func `whatever the bytes are, keys ascend and reading ends`() throws {
    let shelf = try Shelf.forest()
    let sound = try shelf.bytes()
    for seed in 0..<60 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var bytes = sound
      for _ in 0..<40 {
        let page = Int.random(in: 2..<sound.count / 4_096, using: &random)
        let offset = Int.random(in: 0..<(Bool.random(using: &random) ? 64 : 4_096), using: &random)
        bytes[page * 4_096 + offset] = UInt8.random(in: 0...255, using: &random)
      }
      try shelf.overwrite(bytes)
      do { _ = try all(shelf) } catch is StoreFileError {}
    }
  }
}
