import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog

/// Rewritten entries as docs/format.md lays them out, written down by hand.
@Suite struct RewriteGoldenTests {
  private let time: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1]

  /// The bytes of the first entry of stream "a", after a rewrite of a log that has `record` alone.
  private func rewritten<Plan: SchemaMigrationPlan>(
    _ record: some Record, _ plan: Plan.Type, isQuarantining: Bool = false
  ) async throws -> [UInt8] {
    let place = try TemporaryStore()
    var payload: [UInt8] = []
    try record.encode(into: &payload)
    try await EventLog(at: place.url).append(
      [
        NewEntry(
          type: type(of: record).recordName, version: SchemaVersion(1, 0, 0),
          payload: Payload(stored: payload),
          time: Timestamp(microseconds: 0x0102_0304_0506_0708))
      ], to: "a")
    var way = RewrittenStore.Way()
    way.isQuarantining = isQuarantining
    return try #require(try RewrittenStore(place.url, plan, way).entries().first)
  }

  /// An entry at position 1 with these bytes after its checksum.
  private func entry(_ flags: UInt8, _ rest: [UInt8]) -> [UInt8] {
    var checked: [UInt8] = [1, 0, 0, 0, 0, 0, 0, 0]
    checked += [1, flags, 0] + rest
    let checksum = Checksum.crc32c(checked.span)
    return [1, flags, 0] + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) } + rest
  }

  /// The bytes in an entry of a kind's row, for an undeclared record, and of its version's row.
  private func rows(_ kind: UInt8, ordinal: UInt8, _ name: String, _ major: UInt8) -> [UInt8] {
    let row = [ordinal, UInt8(name.utf8.count)] + Array(name.utf8) + [0, 1]
    return [kind, UInt8(row.count)] + row + [7, 1, major, 0, 0, 0, 0, 0]
  }

  private func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }

  private func key(_ text: String) -> [UInt8] { [0x60 + UInt8(text.utf8.count)] + Array(text.utf8) }

  @Test func `a stub has the kind that the entry had, the stage and the reason`() async throws {
    let wanted = entry(
      0b1010_0011,
      [1] + time + text("a") + [0] + [1] + rows(1, ordinal: 1, "Pinged", 1)
        + [0, 1, 1, 0, 0, 1, 2, 0, 0] + text("noise"))
    #expect(try await rewritten(MarketV1.Pinged(number: 5), MarketPlan.self) == wanted)
  }

  @Test func `parts have kinds, paths and payloads of the current version`() async throws {
    // The current version's kinds get the numbers after the log's one kind, in the order of its records.
    let priced = [0xa2] + key("total") + [7] + key("currency") + key("EUR")
    let word = [0xa1] + key("word") + key("tea")
    let wanted = entry(
      0b0110_0011,
      [0] + time + text("a") + [0] + [2] + rows(4, ordinal: 2, "Priced", 3)
        + rows(6, ordinal: 2, "WordAdded", 3)
        + [3, 4, 1, 0, UInt8(priced.count)] + priced
        + [6, 2, 1, 0, UInt8(word.count)] + word + [6, 2, 1, 1, UInt8(word.count)] + word)
    #expect(try await rewritten(MarketV1.Placed(lines: ["tea tea"], total: 7), MarketPlan.self) == wanted)
  }

  @Test func `the first entry of a kind has the kind's row`() async throws {
    let wanted = entry(
      0b0010_0011,
      [2] + time + text("a") + [0] + [1] + rows(2, ordinal: 2, "Shipped", 3)
        + [0xa1] + key("parcel") + key("p"))
    #expect(try await rewritten(MarketV1.Shipped(parcel: "p"), MarketPlan.self) == wanted)
  }

  @Test func `an entry that is set aside has its payload, its kind, and why`() async throws {
    let cause = "'Moved' of version 1.0.0: the rule for 'Moved' in stage 1.0.0 to 2.0.0 threw Overdrawn"
    let mark = [1, 1, 0, 0, 1, 2, 0, 0] + text(cause)
    let wanted = entry(
      0b0011_0011,
      [1] + time + text("a") + [0] + [1, 1, UInt8(mark.count)] + mark + [1] + rows(1, ordinal: 1, "Moved", 1)
        + [0xa1] + key("amount") + [0x20])
    #expect(
      try await rewritten(LedgerV1.Moved(amount: -1), StrictLedger.self, isQuarantining: true) == wanted)
  }
}
