import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import LMDB

/// A context has no copy: damage in it is reported, and never replaced by a guess.
@Suite struct BadContextTests {
  @Schema(1, 0, 0) fileprivate enum Old {
    @Record fileprivate struct Counted: Equatable { var n: Int }
  }
  @Schema(2, 0, 0) fileprivate enum New {
    @Record fileprivate struct Shared: Equatable { var of: Int }
  }
  fileprivate enum SumPlan: SchemaMigrationPlan {
    static var stages: MigrationChain<Old, New> {
      MigrationStage.custom(
        fromVersion: Old.self, toVersion: New.self,
        prepare: { history in
          try history.reduce(into: [0]) { sum, entry in
            if case .counted(let count) = entry.event { sum[0] += count.n }
          }
        }
      ) {
        Upcast(\.counted, to: \.shared) { _, _, sum in .init(of: sum[0]) }
      }
    }
  }

  /// A store whose stage is prepared, and then its context is replaced by `bytes`.
  private func store(with bytes: [UInt8], isSealed: Bool) async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await place.write([.counted(.init(n: 2)), .counted(.init(n: 3))], as: Old.self)
    #expect(try place.read(SumPlan.self, activating: true) == [.shared(.init(of: 5)), .shared(.init(of: 5))])
    let key = Array("context 2.0.0".utf8)
    let row = isSealed ? Row.seal(bytes, key: key) : bytes
    try BadRowTests().craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      try transaction.put(row.span, forKey: key.span, in: tables.meta)
    }
    return place
  }

  @Test(arguments: [false, true])
  func `a context whose checksum is wrong is damage, and activating does not replace it`(activating: Bool)
    async throws
  {
    let place = try await store(with: [0x81, 0x06, 1, 2, 3, 4], isSealed: false)
    let error = try place.refusal(of: SumPlan.self, activating: activating)
    #expect(error?.code == .damaged)
    #expect(error?.details.table == "meta")
  }

  @Test(arguments: [[], [0x81], [0xff], [0xa0], [0x81, 0x61, 0x78], [0x81, 0x05, 0x05]] as [[UInt8]])
  func `a context that is none of its type is refused`(bytes: [UInt8]) async throws {
    let place = try await store(with: bytes, isSealed: true)
    #expect(try place.refusal(of: SumPlan.self)?.code == .shapeChanged)
  }
}

extension BadContextTests.New.Event: Equatable {}
