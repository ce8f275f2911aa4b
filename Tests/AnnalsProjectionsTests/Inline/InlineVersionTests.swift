import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// The relations of versions of one projection that are in force, being built, or retired.
struct InlineVersionTests {
  private let later = RuleRow(number: 7, version: 2, name: "names", text: "x")

  @Test("a version that is only being built lets the one before it come into force, and refuse")
  func building() async throws {
    let place = try TemporaryStore()
    let plain = try place.accounts([])
    try await plain.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    try plain.put([later])
    let store = try place.accounts([InlineNames.self], activating: true)
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append([.opened(.init(name: "Ann", code: 2))], to: "b")
    }
    #expect(error?.code == .rejected)
    try expectAgreement(store)
    // Who builds the later one may still come to its end.
    let states = try store.ruleRows().map { "\($0.version) \($0.state)" }.sorted()
    #expect(states == ["1 live", "2 building"])
  }

  @Test("a version left by a killed program replaces no other without an activation")
  func consent() async throws {
    let place = try TemporaryStore()
    let old = try place.accounts([InlineNames.self])
    try await old.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    let outline = try ProjectionOutline(InlineNames2.self)
    try old.put([
      RuleRow(number: 2, version: 2, name: outline.name, text: outline.text)
    ])
    let waiting = try place.accounts([InlineNames2.self])
    let error = await #expect(throws: AnnalsError.self) {
      try await waiting.append([.opened(.init(name: "Cy", code: 1))], to: "c")
    }
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

  @Test func `Incomplete rows of a version in force are folded without an activation`() throws {
    let balances = try ProjectionOutline(InlineBalances.self)
    var own = RuleRow(number: 1, version: 1, name: balances.name, text: balances.text)
    own.state = .live
    let later = RuleRow(number: 2, version: 2, name: balances.name, text: "x")
    let decision = try inlineDecision([InlineBalances.self], [own, later], last: 60_000)
    #expect(try decision.next() == .fold(member: 0, row: 0))
    guard case .folding = decision.need(of: 0) else {
      Issue.record("it needs nothing")
      return
    }
  }

  @Test func `A new or raised version begins with an activation, or in an empty log`() throws {
    let outline = try ProjectionOutline(InlineNames2.self)
    var old = RuleRow(number: 1, version: 1, name: outline.name, text: "x")
    old.state = .live
    let own = RuleRow(number: 2, version: 2, name: outline.name, text: outline.text)
    for (rows, step) in [
      ([], .begin(member: 0)), ([old], .begin(member: 0)), ([old, own], .putInForce(rows: [1])),
    ] as [([RuleRow], InlineDecision.Step)] {
      #expect(try inlineDecision([InlineNames2.self], rows, last: 0).next() == step)
      #expect(try inlineDecision([InlineNames2.self], rows, last: 1).next() == nil)
      let activation = try inlineDecision([InlineNames2.self], rows, last: 1, isActivating: true).next()
      #expect(activation == (rows.count == 2 ? .fold(member: 0, row: 1) : step))
      guard case .activation = try inlineDecision([InlineNames2.self], rows, last: 1).need(of: 0) else {
        Issue.record("\(rows.count) rows")
        continue
      }
    }
  }

  @Test func `A version that an earlier library did not demand of appends is completed by an activation`()
    throws
  {
    let balances = try ProjectionOutline(InlineBalances.self)
    var own = RuleRow(number: 1, isMandatory: false, version: 1, name: balances.name, text: balances.text)
    own.state = .live
    own.folded = 5
    for last in [5, 9] as [UInt64] {
      #expect(try inlineDecision([InlineBalances.self], [own], last: last).next() == nil)
      #expect(
        try inlineDecision([InlineBalances.self], [own], last: last, isActivating: true).next()
          == (last == 5 ? .putInForce(rows: [0]) : .fold(member: 0, row: 0)))
    }
    own.text = "x"
    #expect(
      try inlineDecision([InlineBalances.self], [own], last: 9, isActivating: true).next()
        == .retire(row: 0, member: 0))
  }
}

/// What an open is to do in a store with some rows.
func inlineDecision(
  _ projections: [any InlineProjection<InlineAccountsV1.Event>.Type], _ rows: [RuleRow], last: UInt64,
  isActivating: Bool = false
) throws -> InlineDecision {
  let set = try InlineSet(projections, CompiledPlan(InlineAccountsPlan.self), log: UUID())
  return InlineDecision(set: try #require(set), rows: rows, last: last, isActivating: isActivating)
}
