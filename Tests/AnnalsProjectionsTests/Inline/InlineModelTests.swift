import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// What accounts hold, as the rows must be at every moment.
private struct InlineModel {
  var names: [String: String] = [:]
  var balances: [String: Int] = [:]

  enum Event {
    case opened(String)
    case moved(Int)
    case closed
  }

  /// Takes all events of a call, or none.
  mutating func take(
    _ call: [(account: String, event: Event)]
  ) -> Bool {
    var next = self
    for (account, event) in call {
      switch event {
      case .opened(let name):
        guard next.names[account] == nil, !next.names.values.contains(name) else { return false }
        next.names[account] = name
      case .moved(let amount):
        next.balances[account, default: 0] += amount
        if next.balances[account, default: 0] < -1_000 { return false }
      case .closed: next.names[account] = nil
      }
    }
    self = next
    return true
  }
}

struct InlineModelTests {
  @Test(
    "rows and refusals are those of a model, also with programs that name the projections in another order",
    arguments: [1, 2, 3, 4] as [UInt64])
  func model(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let place = try TemporaryStore()
    var store = try place.accounts([InlineNames.self, InlineBalances.self])
    let other = try place.accounts([InlineBalances.self, InlineNames.self])
    var model = InlineModel()
    for step in 0..<150 {
      if Int.random(in: 0..<40, using: &random) == 0 {
        store = try place.accounts([InlineBalances.self, InlineNames.self])
      }
      var call: [(account: String, event: InlineModel.Event)] = []
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let account = "a\(Int.random(in: 0..<12, using: &random))"
        switch Int.random(in: 0..<6, using: &random) {
        case 0...2: call.append((account, .opened("n\(Int.random(in: 0..<16, using: &random))")))
        case 3: call.append((account, .closed))
        default: call.append((account, .moved(Int.random(in: -120..<150, using: &random))))
        }
      }
      let isOther = Int.random(in: 0..<4, using: &random) == 0
      let isAccepted = model.take(call)
      let events = call.map { (account, event) -> (StreamName, InlineAccountsV1.Event) in
        switch event {
        case .opened(let name): (StreamName(account), .opened(.init(name: name, code: step)))
        case .moved(let amount): (StreamName(account), .moved(.init(amount: amount)))
        case .closed: (StreamName(account), .closed(.init()))
        }
      }
      do throws(AnnalsError) {
        try await (isOther ? other : store).append { call in
          for (stream, event) in events { call.append([event], to: stream) }
        }
        #expect(isAccepted, "seed \(seed), step \(step)")
      } catch {
        #expect(error.code == .rejected && !isAccepted, "seed \(seed), step \(step): \(error)")
      }
      if step % 10 == 0 {
        try await store.append([.moved(.init(amount: 0))], to: "a0")
        model.balances["a0", default: 0] += 0
        try expectAgreement(store)
        for number in 0..<12 {
          let account = "a\(number)"
          #expect(
            try store.holder(of: StreamName(account)) == model.names[account], "seed \(seed), step \(step)")
          #expect(
            try store.balance(of: StreamName(account)) == model.balances[account],
            "seed \(seed), step \(step)")
        }
      }
    }
    let named = try store.read { (snapshot) throws(AnnalsError) in
      let rows = try snapshot.inline(InlineNames.self)
      return try rows.rows(RowQuery(InlineNames.Name.byName, .prefix("n"))).map(\.name)
    }
    #expect(named == model.names.values.sorted())
    #expect(try EventLog.verify(place.url).isClean)
  }
}
