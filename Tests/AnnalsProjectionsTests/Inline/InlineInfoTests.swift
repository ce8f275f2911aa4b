import LMDB
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsStore

/// The information about inline projections that a store has without a plan.
struct InlineInfoTests {
  @Test("inline projections are listed from the store's own rows: by name and version, with their progress")
  func states() async throws {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineNames.self, InlineBalances.self])
    try await store.append([.opened(.init(name: "Ann", code: 1)), .moved(.init(amount: 1))], to: "a")
    let generation = store.log.core.generation
    var row = RuleRow(number: 7, isMandatory: true, version: 2, name: "names", text: "other")
    let rows = try store.log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.ruleRows() }
    row.folded = 1
    var outdated = RuleRow(number: 5, isMandatory: false, version: 3, name: "balances", text: "other")
    outdated.state = .retired
    // The state of a process that ended while folding a raised version, before it removed another's rows.
    try generation.environment.write(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      for new in [row, outdated] { try transaction.put(new, in: generation.tables.meta) }
      try transaction.put(folded: rows + [row], in: generation.tables.meta)
    }
    let infos = try place.open(StoreOptions(access: .readOnly)).inlineProjections()
    #expect(infos.map(\.name) == ["balances", "balances", "names", "names"])
    #expect(infos.map(\.version) == [1, 3, 1, 2])
    #expect(infos.map(\.number) == [2, 5, 1, 7])
    #expect(infos.map(\.state) == [.live, .retired, .live, .building])
    #expect(infos.map(\.position) == [2, nil, 2, 1])
    #expect(infos.map(\.lag) == [0, 2, 0, 1])
    #expect(try TemporaryStore().open().inlineProjections().isEmpty)
  }
}
