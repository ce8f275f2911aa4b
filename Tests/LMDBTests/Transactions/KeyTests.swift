import LMDB
import Testing

@Suite struct `Keys` {
  @Test(arguments: [0, 512]) func `a key of bytes that LMDB does not take is refused, and nothing else fails`(
    size: Int
  ) throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let key = [UInt8](repeating: 1, count: size)
    try environment.write { (transaction) throws(EnvironmentError) in
      #expect(throws: EnvironmentError.keySize(size)) {
        try transaction.put([1].span, forKey: key.span, in: environment.names)
      }
      #expect(throws: EnvironmentError.keySize(size)) {
        try transaction.delete(key: key.span, in: environment.names)
      }
      try transaction.put([4].span, forKey: [9].span, in: environment.names)
    }
    try environment.read { (transaction) throws(EnvironmentError) in
      #expect(throws: EnvironmentError.keySize(size)) {
        _ = try transaction.value(forKey: key.span, in: environment.names)?.count
      }
      let count = try transaction.value(forKey: [9].span, in: environment.names)?.count
      #expect(count == 1)
    }
  }

  @Test(arguments: [1, 511]) func `keys of 1 and 511 bytes are taken`(size: Int) throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    let key = [UInt8](repeating: 1, count: size)
    let empty: [UInt8] = []
    try environment.write { (transaction) throws(EnvironmentError) in
      try transaction.put(empty.span, forKey: key.span, in: environment.names)
    }
    let count = try environment.read { (transaction) throws(EnvironmentError) in
      try transaction.value(forKey: key.span, in: environment.names)?.count
    }
    #expect(count == 0)
  }

  @Test func `a key of the other kind is refused`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.write { (transaction) throws(EnvironmentError) in
      #expect(throws: EnvironmentError.keyKind(table: "numbers")) {
        try transaction.put([1].span, forKey: [1, 2, 3, 4, 5, 6, 7, 8].span, in: environment.numbers)
      }
      #expect(throws: EnvironmentError.keyKind(table: "names")) {
        try transaction.put([1].span, forKey: 1, in: environment.names)
      }
    }
  }

  @Test(arguments: [5, 4]) func `an appended key that is not above the last breaks the order`(key: UInt64)
    throws
  {
    let shelf = try Shelf()
    let environment = try shelf.create()
    try environment.write { (transaction) throws(EnvironmentError) in
      try transaction.append([1].span, forKey: 5, in: environment.numbers)
      let expected = EnvironmentError.orderBroken(table: "numbers", key: key)
      #expect(throws: expected) { try transaction.append([2].span, forKey: key, in: environment.numbers) }
      #expect(throws: expected) {
        try transaction.append(1, forKey: key, in: environment.numbers) { _ in }
      }
      try transaction.append([6].span, forKey: 6, in: environment.numbers)
    }
    #expect(try environment.bytes(5) == [1])
    #expect(try environment.bytes(6) == [6])
  }

  @Test func `a full map is reported as such, and the next transaction works`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.mapSize = 1 << 20 }
    let error = #expect(throws: EnvironmentError.self) {
      try environment.store([UInt8](repeating: 1, count: 5 << 20))
    }
    #expect(error?.code == LMDBError.mapFull)
    try environment.store([1])
    #expect(try environment.bytes(1) == [1])
  }
}
