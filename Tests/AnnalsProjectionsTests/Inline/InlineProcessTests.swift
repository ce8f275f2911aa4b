import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What several processes do to the same rows, also those that are killed.
@Suite(.serialized) struct InlineProcessTests {
  @Test("two processes that append in turns never take one name twice")
  func turns() async throws {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineNames.self, InlineBalances.self])
    let own = Task {
      var taken = 0
      for number in 0..<400 {
        do throws(AnnalsError) {
          try await store.append([.opened(.init(name: "n\(number)", code: 1))], to: "own\(number)")
          taken += 1
        } catch {
          guard error.code == .rejected else { throw error }
        }
      }
      return taken
    }
    await #expect(processExitsWith: .success) { [path = place.url.path as String] in
      let store = try EventStore(
        at: URL(fileURLWithPath: path), plan: InlineAccountsPlan.self,
        inline: [InlineNames.self, InlineBalances.self])
      for number in (0..<400).reversed() {
        do throws(AnnalsError) {
          try await store.append(
            [.opened(.init(name: "n\(number)", code: 2)), .moved(.init(amount: 1))], to: "other\(number)")
        } catch {
          guard error.code == .rejected else { throw error }
        }
      }
    }
    let taken = try await own.value
    try await store.append([.moved(.init(amount: 1))], to: "last")
    try expectAgreement(store)
    let names = try store.read { (snapshot) throws(AnnalsError) in
      let rows = try snapshot.inline(InlineNames.self)
      return try (
        rows.rows(RowQuery(InlineNames.Name.byName)), rows.count(RowQuery(InlineNames.Name.byCode, .key(1)))
      )
    }
    #expect(names.0.map(\.name) == (0..<400).map { "n\($0)" }.sorted())
    #expect(names.1 == taken)
  }

  @Test(
    "rows and log agree after a process is killed at any moment of appends and of the first fold")
  func kills() async throws {
    let place = try TemporaryStore()
    do {
      let plain = try place.accounts([])
      for number in 0..<20 {
        try await plain.append(
          [.opened(.init(name: "old\(number)", code: nil))]
            + (0..<500).map { .moved(.init(amount: $0)) }, to: "old\(number)")
      }
    }
    let seed = UInt64.random(in: 1...1_000_000)
    print("inline kills, seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for round in 0..<10 {
      // The first ones are killed while the log is folded for the first time.
      let delay =
        round < 4 ? UInt32(15_000 * (round + 1)) : UInt32.random(in: 50_000..<200_000, using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = place.url.path as String, round = round as Int, delay = delay as UInt32] in
        let killer = Thread {
          usleep(delay)
          kill(getpid(), SIGKILL)
        }
        killer.start()
        var options = StoreOptions()
        options.activating = true
        let store = try EventStore(
          at: URL(fileURLWithPath: path), plan: InlineAccountsPlan.self, options: options,
          inline: [InlineNames.self, InlineBalances.self])
        var number = 0
        while true {
          number += 1
          do throws(AnnalsError) {
            try await store.append(
              [
                .opened(.init(name: "n\(number / 2)", code: round)), .moved(.init(amount: number)),
              ], to: "r\(round) \(number)")
          } catch {
            guard error.code == .rejected else { throw error }
          }
        }
      }
      if round >= 4 {
        let store = try place.accounts([InlineNames.self, InlineBalances.self], activating: true)
        try expectAgreement(store)
      }
    }
    let store = try place.accounts([InlineNames.self, InlineBalances.self], activating: true)
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
    #expect(try store.holder(of: "old3") == "old3")
  }
}
