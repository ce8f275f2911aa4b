import Testing

@testable import LMDB

/// The search without LMDB: it agrees with LMDB wherever it has an answer, and stays inside the pages.
@Suite struct IntegerTreeTests {
  /// A copy of a value.
  private func copy(_ value: Span<UInt8>?) -> [UInt8]? {
    guard let value else { return nil }
    return Array(copying: value)
  }

  @Test(arguments: UInt64(1)...8) func `the search agrees with a dictionary`(seed: UInt64) throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    var random = SeededGenerator(seed: seed)
    var model: [UInt64: [UInt8]] = [:]
    // From keys without gaps to keys that are far apart, and some values that do not fit into a page.
    let stride = [1, 1, 3, 1_000, 1 << 40][Int(seed % 5)] as UInt64
    for _ in 0..<4 {
      try environment.write(durability: .none) { (transaction) throws(EnvironmentError) in
        for _ in 0..<1_500 {
          let key = UInt64.random(in: 0..<3_000, using: &random) * stride
          if Int.random(in: 0..<6, using: &random) == 0 {
            _ = try transaction.delete(key: key, in: environment.numbers)
            model[key] = nil
          } else {
            let count = Int.random(in: 0..<40, using: &random) == 0 ? 5_000 : Int(key % 300)
            let value = [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: count)
            try transaction.put(value.span, forKey: key, in: environment.numbers)
            model[key] = value
          }
        }
      }
      try compare(environment, model, stride, &random)
    }
  }

  private func compare(
    _ environment: Environment, _ model: [UInt64: [UInt8]], _ stride: UInt64,
    _ random: inout SeededGenerator
  ) throws {
    let keys =
      [0, 1, .max] + (0..<500).map { _ in UInt64.random(in: 0..<3_100, using: &random) * stride }
      + (0..<100).map { _ in UInt64.random(in: 0...(.max), using: &random) }
    try environment.read { (transaction) throws(EnvironmentError) in
      let view = transaction.view
      let tree = transaction.slot?.tree(of: environment.numbers)
      #expect(tree != nil)
      #expect(tree?.lastKey == model.keys.max())
      #expect(try view.lastKey(in: environment.numbers) == model.keys.max())
      var (present, answers) = (0, 0)
      for key in keys {
        let found = copy(try view.value(forKey: key, in: environment.numbers))
        #expect(found == model[key])
        if found != nil { present += 1 }
        guard let searched = unsafe tree?.value(forKey: key).map({ unsafe Array(copying: $0.span) }) else {
          continue
        }
        #expect(searched == model[key])
        answers += 1
      }
      // Values that are large, or were before they were changed, are on pages of their own: only LMDB reads
      // these.
      #expect(answers <= present && answers * 10 > present * 9, "\(answers) of \(present)")
      var window = ValueWindow(environment.numbers, in: view)
      var start = 0
      while start < keys.count {
        let end = try window.append(valuesForKeys: keys, from: start)
        for index in start..<end {
          let value = Array(copying: window[window.count - (end - index)])
          #expect(value == model[keys[index]])
        }
        if end < keys.count { #expect(model[keys[end]] == nil) }
        start = end + 1
      }
    }
  }

  @Test func `an empty table has no tree, and no last key`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.read { (transaction) throws(EnvironmentError) in
      #expect(transaction.slot?.tree(of: environment.numbers) == nil)
      #expect(try transaction.lastKey(in: environment.numbers) == nil)
      let value = copy(try transaction.value(forKey: 1, in: environment.numbers))
      #expect(value == nil)
    }
  }

  @Test func `a snapshot is searched as it was, and a renewed one as it is`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1], [2])
    var snapshot = try environment.beginRead()
    func read(_ snapshot: borrowing ReadTransaction) throws -> [[UInt8]?] {
      var values: [[UInt8]?] = []
      for key in 1...3 as ClosedRange<UInt64> {
        values.append(copy(try snapshot.value(forKey: key, in: environment.numbers)))
      }
      return values
    }
    #expect(try read(snapshot) == [[1], [2], nil])
    for round in 0..<20 as Range<UInt8> { try environment.store([3, round], [4], [5]) }
    #expect(try read(snapshot) == [[1], [2], nil])
    #expect(try snapshot.lastKey(in: environment.numbers) == 2)
    try snapshot.renew()
    #expect(try read(snapshot) == [[3, 19], [4], [5]])
    #expect(try snapshot.lastKey(in: environment.numbers) == 3)
    snapshot.end()
  }

  @Test func `a write transaction reads its own changes`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1], [2])
    try environment.write { (transaction) throws(EnvironmentError) in
      #expect(transaction.slot == nil)
      try transaction.put([9].span, forKey: 1, in: environment.numbers)
      try transaction.put([8].span, forKey: 5, in: environment.numbers)
      let value = copy(try transaction.view.value(forKey: 1, in: environment.numbers))
      #expect(value == [9])
      #expect(try transaction.lastKey(in: environment.numbers) == 5)
    }
  }

  @Test func `a table of bytes is not searched by numbers`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    #expect(throws: EnvironmentError.keyKind(table: "names")) {
      try environment.read { (transaction) throws(EnvironmentError) in
        try transaction.lastKey(in: environment.names)
      }
    }
  }

  /// Damaged pages: the checks of an open do not read the tree, so the search meets them.
  @Test(arguments: UInt64(1)...6) func `a search in damaged pages stays inside them`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let whole = try Shelf.forest()
    let bytes = try whole.bytes()
    let main = try MetaPages(of: whole.directory.open(Shelf.file, .read)).newer.main.root
    for _ in 0..<8 {
      var damaged = bytes
      for _ in 0..<3_000 {
        let page = Int.random(in: 2..<damaged.count / 4_096, using: &random)
        guard page != main else { continue }
        // Headers and offsets more often than the rest.
        let offset = Int.random(in: 0..<(Bool.random(using: &random) ? 60 : 4_096), using: &random)
        damaged[page * 4_096 + offset] = UInt8.random(in: 0...255, using: &random)
      }
      let shelf = try Shelf()
      try shelf.overwrite(damaged)
      let environment = try shelf.open(.readOnly)
      try environment.read { (transaction) throws(EnvironmentError) in
        guard let tree = transaction.slot?.tree(of: environment.numbers) else { return }
        _ = tree.lastKey
        var sum = 0
        for key in [0, .max] + (0..<3_000).map({ _ in UInt64.random(in: 0..<21_000, using: &random) }) {
          guard let value = unsafe tree.value(forKey: key).map({ unsafe Array(copying: $0.span) }) else {
            continue
          }
          #expect(value.count < 4_096)
          for byte in value { sum &+= Int(byte) }
        }
        #expect(sum >= 0)
      }
    }
  }

  @Test func `a page with a wrong number does not lead out of the map`() throws {
    let whole = try Shelf.forest()
    let bytes = try whole.bytes()
    let main = try MetaPages(of: whole.directory.open(Shelf.file, .read)).newer.main.root
    let start = Int(main) * 4_096
    func values(_ shelf: borrowing Shelf, hasTree: Bool) throws -> [[UInt8]?] {
      let environment = try shelf.open(.readOnly)
      var values: [[UInt8]?] = []
      try environment.read { (transaction) throws(EnvironmentError) in
        #expect((transaction.slot?.tree(of: environment.numbers) != nil) == hasTree)
        for key in stride(from: 0 as UInt64, to: 21_000, by: 97) {
          values.append(copy(try transaction.value(forKey: key, in: environment.numbers)))
        }
      }
      return values
    }
    let expected = try values(whole, hasTree: true)
    let pages = UInt64(bytes.count / 4_096)
    for number in [0, 1, 2, main - 1, main + 1, main / 2, pages - 1, pages, .max] where number != main {
      var damaged = bytes
      for byte in 0..<8 { damaged[start + byte] = UInt8(truncatingIfNeeded: number >> (8 * UInt64(byte))) }
      let shelf = try Shelf()
      try shelf.overwrite(damaged)
      #expect(try values(shelf, hasTree: false) == expected, "\(number)")
    }
  }
}
