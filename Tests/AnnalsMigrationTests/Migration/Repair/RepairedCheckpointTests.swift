import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsMigration
@testable import AnnalsSubscriptions
@testable import LMDB

/// Checkpoints of consumers, after a repair of the entry at which they are.
@Suite struct RepairedCheckpointTests {
  private let place: TemporaryStore

  init() throws {
    place = try TemporaryStore()
  }

  /// The positions that a subscription delivers from a checkpoint.
  private func read(_ log: EventLog, _ start: SubscriptionStart, upTo last: Position) async throws
    -> [Position]
  {
    var positions: [Position] = []
    for try await element in log.subscribe(from: start) {
      positions.append(element.entry.position)
      if element.entry.position == last { break }
    }
    return positions
  }

  @Test(arguments: [4, 6] as [UInt64])
  func `a checkpoint at a lost entry differs, and the message says that it was repaired`(
    lost: UInt64
  ) async throws {
    var checkpoints: [UInt64: Checkpoint] = [:]
    var bytes: [UInt8] = []
    do {
      let log = try place.open()
      for number in 1...6 { try await log.append([.placed(number, id: UUID())], to: "s\(number % 2)") }
      for position in 1...6 as ClosedRange<UInt64> {
        checkpoints[position] = try log.read { (snapshot) throws(AnnalsError) in
          try snapshot.reader.checkpoint(at: Position(position), log: log.id)
        }
      }
      bytes = try log.read { (snapshot) throws(AnnalsError) in
        try snapshot.reader.bytes(at: Position(lost)).copied
      }
    }
    bytes[bytes.count - 1] ^= 0x40
    try Generations(place).change(1) { [bytes] (transaction, tables) throws(EnvironmentError) in
      try transaction.put(bytes.span, forKey: lost, in: tables.entries)
    }
    #expect(try EventLog.repair(place.url).entries.map(\.position) == [Position(lost)])
    let log = try place.open()
    try await log.append([.placed(7)], to: "s1")
    let error = await #expect(throws: AnnalsError.self) {
      try await read(log, .checkpoint(try #require(checkpoints[lost])), upTo: 7)
    }
    #expect(error?.code == .checkpointMismatch)
    #expect(error?.underlying as? CheckpointMismatch == .differs)
    #expect(error?.message.contains("a repair has replaced an entry") == true)
    #expect(error?.message.contains("restored, and went on") == false)
    #expect(try await read(log, .after(Position(lost)), upTo: 7).first == Position(lost + 1))
    // Every other checkpoint agrees.
    let before = try #require(checkpoints[lost - 1])
    #expect(try await read(log, .checkpoint(before), upTo: 7).first == Position(lost))
    // Another entry at a position is not a repair.
    var foreign = try #require(checkpoints[1])
    foreign = Checkpoint(log: foreign.log, incarnation: 0, position: 2, mark: foreign.mark)
    let other = await #expect(throws: AnnalsError.self) {
      try await read(log, .checkpoint(foreign), upTo: 7)
    }
    #expect(other?.message.contains("restored, and went on") == true)
  }
}
