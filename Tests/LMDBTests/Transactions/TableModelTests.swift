import LMDB
import Testing

@Suite struct `Tables against a dictionary` {
  private typealias Model = (numbers: [UInt64: [UInt8]], names: [[UInt8]: [UInt8]])

  @Test(arguments: UInt64(1)...6) func `random changes leave the same values as in a dictionary`(seed: UInt64)
    throws
  {
    let shelf = try Shelf()
    let environment = try shelf.create()
    var random = SeededGenerator(seed: seed)
    var model: Model = ([:], [:])
    for _ in 0..<12 {
      let before = model
      let isKept = Int.random(in: 0..<4, using: &random) > 0
      _ = try environment.decide(durability: .none, failure: { $0 }) {
        (transaction) throws(EnvironmentError) -> Decision<Bool> in
        for _ in 0..<200 {
          try change(&transaction, &model, environment, &random)
        }
        return isKept ? .commit(true) : .abort(true)
      }
      if !isKept { model = before }
      try compare(environment, model, &random)
    }
    let report = try PageCheck.run(Shelf.file, in: shelf.directory, tables: Shelf.tables)
    #expect(report.findings == [])
    #expect(report.tables["numbers"]?.entries == model.numbers.count)
    #expect(report.tables["names"]?.entries == model.names.count)
  }

  private func change(
    _ transaction: inout WriteTransaction, _ model: inout Model, _ environment: Environment,
    _ random: inout SeededGenerator
  ) throws(EnvironmentError) {
    let length = Int.random(in: 0..<20, using: &random) == 0 ? 9000 : 90
    let value = (0..<Int.random(in: 0...length, using: &random)).map { UInt8(truncatingIfNeeded: $0) }
    let number = UInt64.random(in: 0..<600, using: &random)
    let name = (0..<Int.random(in: 1...40, using: &random)).map { _ in
      UInt8.random(in: 97...99, using: &random)
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0, 1:
      try transaction.put(value.span, forKey: number, in: environment.numbers)
      model.numbers[number] = value
    case 2, 3:
      try transaction.put(value.span, forKey: name.span, in: environment.names)
      model.names[name] = value
    default:
      let wasThere = try transaction.delete(key: number, in: environment.numbers)
      #expect(wasThere == (model.numbers.removeValue(forKey: number) != nil))
      if let first = model.names.keys.min(by: { $0.lexicographicallyPrecedes($1) }) {
        let wasThere = try transaction.delete(key: first.span, in: environment.names)
        #expect(wasThere)
        model.names[first] = nil
      }
    }
  }

  private func compare(
    _ environment: Environment, _ model: Model, _ random: inout SeededGenerator
  ) throws(EnvironmentError) {
    let numbers = model.numbers.keys.sorted()
    let names = model.names.keys.sorted { $0.lexicographicallyPrecedes($1) }
    let start = UInt64.random(in: 0..<600, using: &random)
    try environment.read { (transaction) throws(EnvironmentError) in
      var cursor = try transaction.integerCursor(in: environment.numbers)
      var found: [UInt64] = []
      while let row = try cursor.next() {
        found.append(row.key)
        #expect(model.numbers[row.key] == Array(copying: row.value))
      }
      #expect(found == numbers)
      found = []
      while let row = try cursor.previous() { found.append(row.key) }
      #expect(found.reversed() == numbers.dropLast() || found.reversed() == numbers)
      let sought = try cursor.seek(start)?.key
      #expect(sought == numbers.first { $0 >= start })
      let first = try cursor.first()?.key
      #expect(first == numbers.first)
      let last = try cursor.last()?.key
      #expect(last == numbers.last)
      var byName = try transaction.cursor(in: environment.names)
      var foundNames: [[UInt8]] = []
      while let row = try byName.next() {
        foundNames.append(Array(copying: row.key))
        #expect(model.names[Array(copying: row.key)] == Array(copying: row.value))
      }
      #expect(foundNames == names)
      if let name = names.first {
        let count = try transaction.value(forKey: name.span, in: environment.names)?.count
        #expect(count == model.names[name]?.count)
      }
      let entries = try transaction.statistics(of: environment.names).entries
      #expect(entries == names.count)
    }
  }
}
