import LMDB
import Testing

@Suite struct `Reading and writing` {
  @Test func `a committed value is there for the next snapshot`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.store([1, 2, 3])
    #expect(try environment.bytes(1) == [1, 2, 3])
  }

  @Test func `a throw aborts the transaction`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    #expect(throws: EnvironmentError.keySize(0)) {
      try environment.write { (transaction) throws(EnvironmentError) in
        try transaction.put([1].span, forKey: 7, in: environment.numbers)
        throw .keySize(0)
      }
    }
    #expect(try environment.bytes(7) == nil)
  }

  @Test func `a decision to abort keeps the result and drops the changes`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let result = try environment.decide(failure: { $0 }) {
      (transaction) throws(EnvironmentError) -> Decision<Int> in
      try transaction.put([1].span, forKey: 7, in: environment.numbers)
      return .abort(42)
    }
    #expect(result == 42)
    #expect(try environment.bytes(7) == nil)
  }

  @Test func `a snapshot does not see later commits until it is renewed`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    var snapshot = try environment.beginRead()
    try environment.store([9])
    #expect(try snapshot.value(forKey: 1, in: environment.numbers) == nil)
    try snapshot.renew()
    #expect(try snapshot.value(forKey: 1, in: environment.numbers)?.count == 1)
  }

  @Test func `bytes that are appended in place are zeros until they are filled in`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.write { (transaction) throws(EnvironmentError) in
      try transaction.append(4, forKey: 3, in: environment.numbers) { bytes in bytes[1] = 5 }
    }
    #expect(try environment.bytes(3) == [0, 5, 0, 0])
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `rows that are set near each other are those of a dictionary`(seed: UInt64) throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    var generator = SeededGenerator(seed: seed)
    var model: [UInt64: [UInt8]] = [:]
    for _ in 0..<5 {
      try environment.write { (transaction) throws(EnvironmentError) in
        var key: UInt64 = 0
        for _ in 0..<500 {
          key = generator.next() % 8 == 0 ? generator.next() % 1000 : key + generator.next() % 3
          let value = [UInt8](repeating: UInt8(truncatingIfNeeded: key), count: Int(generator.next() % 300))
          model[key] = value
          // Other ways into the same table must not disturb the cursor that stays.
          if generator.next() % 4 == 0 {
            try transaction.put(value.span, forKey: key, in: environment.numbers)
          } else {
            try transaction.put(near: value.span, forKey: key, in: environment.numbers)
          }
        }
      }
    }
    for (key, value) in model { #expect(try environment.bytes(key) == value) }
  }

  @Test func `a window lends the values that it found, in the order of the look-ups`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.write { (transaction) throws(EnvironmentError) in
      for key in 1...9 as ClosedRange<UInt64> {
        try transaction.put([UInt8(key), 0].span, forKey: key, in: environment.numbers)
      }
    }
    try environment.read { (transaction) throws(EnvironmentError) in
      var window = ValueWindow(environment.numbers, in: transaction.view)
      for key in [7, 2, 9, 2] as [UInt64] {
        let isThere = try window.append(valueForKey: key)
        #expect(isThere)
      }
      let isThere = try window.append(valueForKey: 10)
      #expect(!isThere)
      #expect(window.count == 4)
      for (index, key) in ([7, 2, 9, 2] as [UInt8]).enumerated() {
        let first = window[index][0]
        #expect(first == key)
      }
      window.removeAll()
      #expect(window.count == 0)
    }
  }
}
