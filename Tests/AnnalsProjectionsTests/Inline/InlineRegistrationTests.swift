import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// What an open does about rows that another program has begun.
struct InlineRegistrationTests {
  /// A row of ``InlineNames`` that is being built.
  private func own(_ number: UInt16) throws -> RuleRow {
    let outline = try ProjectionOutline(InlineNames.self)
    return RuleRow(
      number: number, version: 1, name: outline.name, text: outline.text)
  }

  /// The same of a program with other tables.
  private func foreign(_ number: UInt16) -> RuleRow {
    RuleRow(number: number, version: 1, name: "names", text: "x")
  }

  @Test("another program's fold of the same version with other tables is retired once")
  func twoPrograms() throws {
    var decision = try inlineDecision([InlineNames.self], [foreign(1)], last: 5, isActivating: true)
    #expect(try decision.next() == .retire(row: 0, member: 0))
    decision.replaced = [0]
    let error = #expect(throws: AnnalsError.self) { try decision.next() }
    #expect(error?.code == .shapeChanged && error?.message.contains("another program") == true)
  }

  @Test("retired rows are removed before a version gets a number")
  func numbers() async throws {
    var retired = foreign(1)
    retired.state = .retired
    #expect(try inlineDecision([InlineNames.self], [retired], last: 5).next() == .remove(row: 0))
    let place = try TemporaryStore()
    let plain = try place.accounts([])
    try await plain.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    retired.number = .max
    try plain.put([foreign(2), retired])
    let store = try place.accounts([InlineNames.self], activating: true)
    #expect(try store.ruleRows().map(\.number) == [1])
    #expect(try store.ruleRows().map(\.state) == [.live])
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test("a program that cannot fold the log leaves another's unfinished fold alone")
  func begunByAnother() async throws {
    let place = try TemporaryStore()
    let plain = try place.accounts([])
    try await plain.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    try await plain.append([.opened(.init(name: "Ann", code: 1))], to: "b")
    try plain.put([own(3)])
    let error = #expect(throws: AnnalsError.self) { try place.accounts([InlineNames.self], activating: true) }
    #expect(error?.code == .rejected)
    #expect(try plain.ruleRows() == [own(3)])
  }
}
