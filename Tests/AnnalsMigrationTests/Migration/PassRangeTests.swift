import LMDB
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMigration

/// Logs whose last position is none that a log reaches.
@Suite struct PassRangeTests {
  @Test(arguments: [1 << 60, 1 << 63, .max] as [UInt64])
  func `a log that ends where none can is damage to a pass, not the end of the process`(
    last: UInt64
  ) async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append([.placed(1)], to: "a")
    let generation = log.core.generation
    try generation.environment.write { (transaction) throws(EnvironmentError) in
      let bytes: [UInt8] = [1, 2, 3]
      try transaction.append(bytes.span, forKey: last, in: generation.tables.entries)
    }
    let error = await #expect(throws: AnnalsError.self) { _ = try await log.compact().report() }
    #expect(error?.code == .damaged)
  }

  @Test func `a pass is decided for any end of the log`() {
    var machine = PassMachine(copied: 0, goal: 0)
    machine.copyHeads(last: 0)
    machine.merge()
    machine.check()
    machine.verify()
    machine.follow(upTo: 1, took: .seconds(1))
    machine.compare(upTo: 1)
    #expect(machine.next(.init(last: .max)) == .follow(2...UInt64.max))
  }
}
