import Dispatch
import Foundation
import LMDB
import Synchronization
import Testing

/// Maps that the file outgrows, by this process or by another one.
@Suite struct `Growing a map` {
  private static let small = 1 << 20

  /// Lets a process with a large map add `mebibytes` values of a mebibyte each, from key 100 on.
  private func growElsewhere(_ shelf: Shelf, mebibytes: Int) async {
    await #expect(processExitsWith: .success) { [path = shelf.path as String, mebibytes = mebibytes as Int] in
      let environment = try Shelf(path: path).open()
      for number in 0..<mebibytes {
        let value = [UInt8](repeating: UInt8(number), count: 1 << 20)
        try environment.write { (transaction) throws(EnvironmentError) in
          try transaction.put(value.span, forKey: 100 + UInt64(number), in: environment.numbers)
        }
      }
    }
  }

  /// The first byte of a value in a snapshot.
  private static func first(
    of key: UInt64, in snapshot: borrowing ReadTransaction, _ environment: Environment
  ) throws -> UInt8? {
    guard let value = try snapshot.value(forKey: key, in: environment.numbers) else { return nil }
    return value[0]
  }

  /// Whether LMDB itself would refuse the next transaction.
  private func isOutgrown(_ environment: Environment) throws -> Bool {
    let info = try environment.info()
    return (info.lastPage + 1) * environment.pageSize > info.mapSize
  }

  @Test func `entries that another process has added are read without an error`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.mapSize = Self.small }
    try environment.store([1])
    await growElsewhere(shelf, mebibytes: 8)
    #expect(try isOutgrown(environment))
    #expect(try environment.bytes(107)?.count == 1 << 20)
    #expect(try !isOutgrown(environment))
    #expect(try environment.bytes(1) == [1])
  }

  @Test func `writes after those of another process succeed without an error`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.mapSize = Self.small }
    await growElsewhere(shelf, mebibytes: 8)
    #expect(try isOutgrown(environment))
    try environment.store([1], [2])
    #expect(try environment.bytes(2) == [2])
    #expect(try environment.bytes(107)?.first == 7)
  }

  @Test func `a snapshot moves on over a map that was outgrown`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.mapSize = Self.small }
    try environment.store([1])
    var snapshot = try environment.beginRead()
    await growElsewhere(shelf, mebibytes: 4)
    try snapshot.renew()
    let count = try snapshot.statistics(of: environment.numbers).entries
    #expect(count == 5)
    snapshot.end()
    #expect(try environment.bytes(1) == [1])
  }

  @Test func `a live snapshot stays valid, and a further one is refused until it ends`() async throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.mapSize = Self.small }
    try environment.store([1], [2])
    let snapshot = try environment.beginRead()
    await growElsewhere(shelf, mebibytes: 4)
    let error = #expect(throws: EnvironmentError.self) { try environment.beginRead().end() }
    #expect(error?.code == LMDBError.mapResized)
    #expect(try Self.first(of: 2, in: snapshot, environment) == 2)
    snapshot.end()
    #expect(try environment.bytes(103)?.count == 1 << 20)
  }

  @Test func `a change larger than the map is an error once, and fits the next time`() throws {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.mapSize = Self.small }
    let large = [UInt8](repeating: 7, count: 5_000_000)
    let error = #expect(throws: EnvironmentError.self) { try environment.store(large) }
    #expect(error?.code == LMDBError.mapFull)
    #expect(try environment.bytes(1) == nil)
    try environment.store(large)
    #expect(try environment.bytes(1) == large)
  }

  @Test func `small changes never meet the end of a map, and readers meanwhile are not disturbed`()
    async throws
  {
    let shelf = try Shelf()
    let environment = try shelf.create { $0.mapSize = Self.small }
    let first = [UInt8](repeating: 9, count: 3000)
    try environment.store(first)
    let isDone = Atomic(false)
    let reads = Atomic(0)
    let readers = try (0..<4).map { number in
      try WriterThread(name: "reader \(number)") {
        do {
          while !isDone.load(ordering: .relaxed) {
            try environment.read { (transaction) throws(EnvironmentError) in
              let value = try transaction.value(forKey: 1, in: environment.numbers)
              for _ in 0..<20 where value?[2999] != 9 { Issue.record("another value") }
            }
            reads.add(1, ordering: .relaxed)
          }
        } catch { Issue.record(error) }
      }
    }
    let sizes = Mutex<Set<Int>>([])
    let writer = try WriterThread(name: "writer") {
      do {
        let value = [UInt8](repeating: 1, count: 3000)
        for batch in 0..<2_000 {
          try environment.write(durability: .none) { (transaction) throws(EnvironmentError) in
            for number in 0..<10 {
              try transaction.put(
                value.span, forKey: UInt64(2 + batch * 10 + number), in: environment.numbers)
            }
          }
          let size = try environment.info().mapSize
          sizes.withLock { _ = $0.insert(size) }
        }
      } catch { Issue.record(error) }
    }
    // Another process reads with a map of its own.
    await #expect(processExitsWith: .success) { [path = shelf.path as String] in
      let environment = try Shelf(path: path).open(.readOnly) { $0.mapSize = 1 << 20 }
      for _ in 0..<300 {
        let value = try environment.bytes(1)
        #expect(value?.count == 3000)
        usleep(1000)
      }
    }
    writer.join()
    isDone.store(true, ordering: .relaxed)
    for reader in readers { reader.join() }
    let count = try environment.read { (transaction) throws(EnvironmentError) in
      try transaction.statistics(of: environment.numbers).entries
    }
    #expect(count == 20_001)
    // It began with less than it has in use now, and grew more than once.
    #expect(sizes.withLock { $0.count } > 4)
    #expect(reads.load(ordering: .relaxed) > 1000)
  }
}
