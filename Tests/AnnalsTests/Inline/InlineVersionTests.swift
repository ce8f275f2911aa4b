import Foundation
import Testing

@testable import Annals
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// What versions of one projection are to each other that are in force, being built, or given up.
struct InlineVersionTests {
  private let later = RuleRow(number: 7, isMandatory: true, version: 2, name: "names", text: "x")

  @Test("a version that is only being built lets the one before it come into force, and refuse")
  func building() async throws {
    let place = try TemporaryStore()
    let plain = try place.accounts([])
    try await plain.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    try plain.put([later])
    let store = try place.accounts([InlineNames.self])
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.opened(.init(name: "Ann", code: 2))], to: "b")
    }
    #expect(error?.code == .rejected)
    try expectAgreement(store)
    // Who builds the later one may still come to its end.
    let states = try store.ruleRows().map { "\($0.version) \($0.state)" }.sorted()
    #expect(states == ["1 live", "2 building"])
  }

  @Test(
    "where no version is in force an append does not go on without the projection",
    arguments: [RuleRow.State.building, .retired])
  func unchecked(state: RuleRow.State) async throws {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineNames.self])
    try await store.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    var (own, other) = (try store.ruleRows()[0], later)
    own.state = .retired
    other.state = state
    try store.put([own, other])
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.opened(.init(name: "Ann", code: 2))], to: "b")
    }
    #expect(error?.code == .requiresActivation)
    #expect(try store.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == 1)
  }

  @Test("what a killed program has left of a version takes nobody's place without activating")
  func consent() async throws {
    let place = try TemporaryStore()
    let old = try place.accounts([InlineNames.self])
    try await old.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    let outline = try ProjectionOutline(InlineNames2.self)
    try old.put([
      RuleRow(number: 2, isMandatory: true, version: 2, name: outline.name, text: outline.text)
    ])
    let error = #expect(throws: AnnalsError.self) { try place.accounts([InlineNames2.self]) }
    #expect(error?.code == .requiresActivation)
    try await old.append([.opened(.init(name: "Bo", code: 1))], to: "b")
    let taken = await #expect(throws: AnnalsError.self) {
      try await old.append([.opened(.init(name: "Bo", code: 1))], to: "c")
    }
    #expect(taken?.code == .rejected)
    let new = try place.accounts([InlineNames2.self], activating: true)
    try expectAgreement(new)
    #expect(try new.ruleRows().map(\.version) == [2])
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test("a version in force that is behind is folded, whatever is being built beside it")
  func behind() throws {
    let balances = try ProjectionOutline(InlineBalances.self)
    var own = RuleRow(number: 1, isMandatory: false, version: 1, name: balances.name, text: balances.text)
    own.state = .live
    let later = RuleRow(number: 2, isMandatory: false, version: 2, name: balances.name, text: "x")
    let decision = try inlineDecision([InlineBalances.self], [own, later], last: 60_000)
    #expect(try decision.next() == .fold(member: 0, row: 0))
    guard case .folding = decision.need(of: 0) else {
      Issue.record("it needs nothing")
      return
    }
  }

  @Test("in an empty log a version takes the place of the one before without being asked")
  func empty() throws {
    let outline = try ProjectionOutline(InlineNames2.self)
    var old = RuleRow(number: 1, isMandatory: true, version: 1, name: outline.name, text: "x")
    old.state = .live
    let own = RuleRow(number: 2, isMandatory: true, version: 2, name: outline.name, text: outline.text)
    #expect(try inlineDecision([InlineNames2.self], [old, own], last: 0).next() == .fold(member: 0, row: 1))
    #expect(throws: AnnalsError.self) { try inlineDecision([InlineNames2.self], [old, own], last: 1).next() }
  }
}

/// What an open is to do in a store with some rows.
func inlineDecision(
  _ projections: [any InlineProjection<InlineAccountsV1.Event>.Type], _ rows: [RuleRow], last: UInt64
) throws -> InlineDecision {
  let set = try InlineSet(projections, CompiledPlan(InlineAccountsPlan.self), log: UUID())
  return InlineDecision(set: try #require(set), rows: rows, last: last, isActivating: false)
}
