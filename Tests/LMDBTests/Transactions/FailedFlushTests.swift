import Testing

@testable import LMDB

@Suite struct `After a failed flush` {
  @Test(arguments: [Durability.full, .relaxed])
  func `only a commit makes a flush of a file without a journal certain`(durability: Durability) throws {
    let shelf = try Shelf()
    let environment = try shelf.create()
    // A flush may have failed before the open, in another process.
    #expect(!environment.isCertainAfterFlush)
    for round in 0..<2 as Range<UInt8> {
      try environment.synchronize()
      #expect(!environment.isCertainAfterFlush)
      for flushing in [Durability.none, durability] {
        try environment.write(durability: flushing) { (transaction) throws(EnvironmentError) in
          try transaction.put([round].span, forKey: 1, in: environment.numbers)
        }
        #expect(environment.isCertainAfterFlush == (flushing != .none))
      }
      environment.flushesTwice.store(true, ordering: .relaxed)
    }
    #expect(try environment.bytes(1) == [1])
  }
}
