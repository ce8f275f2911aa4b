import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore
@testable import AnnalsVerify

/// The sum of all amounts, and each account's last one, which has no encoding below zero.
private enum InlineAmounts: InlineProjection {
  typealias Event = InlineAccountsV1.Event
  @Record struct Sum: ProjectionRow {
    var name: String
    var amount: Int
    var key: String { name }
  }
  struct Natural: StoredValue {
    var number: Int

    static func shape(in types: inout ShapeTypes) -> ValueShape { Int.shape(in: &types) }
    init(number: Int) { self.number = number }
    init(from reader: inout FieldReader) throws(CodingFailure) { number = try Int(from: &reader) }
    func encode(into writer: inout FieldWriter) throws(CodingFailure) {
      guard number >= 0 else { throw CodingFailure(.refused, at: writer.offset) }
      try number.encode(into: &writer)
    }
  }
  @Record struct Amount: ProjectionRow {
    var account: String
    var amount: Natural
    var key: String { account }
  }

  static let name = "amounts"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Sum.self), .rows(Amount.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .moved(let moved) = entry.event else { return }
    try rows.update(Sum.self, "all", initial: Sum(name: "all", amount: 0)) { $0.amount += moved.amount }
    try rows.put(Amount(account: entry.stream.text, amount: Natural(number: moved.amount)))
  }
}

struct InlineEncodingTests {
  @Test func `An activation whose rows cannot be encoded puts nothing in force`() async throws {
    let place = try TemporaryStore()
    let plain = try place.accounts([])
    try await plain.append([.moved(.init(amount: 7))], to: "t")
    try await plain.append([.moved(.init(amount: -1))], to: "u")
    for _ in 0..<2 {
      let error = #expect(throws: AnnalsError.self) {
        try place.accounts([InlineBalances.self, InlineAmounts.self], activating: true)
      }
      #expect(error?.code == .ruleFailed && error?.details.position == 2)
      // The projections come into force together.
      #expect(try plain.ruleRows().filter(\.isInForce).isEmpty)
    }
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `A call whose row cannot be encoded is refused alone`() async throws {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineAmounts.self])
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<40 {
        group.addTask {
          do throws(AnnalsError) {
            try await store.append(
              [.moved(.init(amount: number % 4 == 0 ? -1 : 1))], to: StreamName("s\(number)"))
            return number % 4 != 0
          } catch {
            return number % 4 == 0 && error.code == .ruleFailed
          }
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    let sum = try store.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(InlineAmounts.self).get(InlineAmounts.Sum.self, "all")?.amount
    }
    #expect(sum == 30)
    try expectAgreement(store)
  }

  @Test("a projection that is said to be folded beyond the log is damage, not the end of the process")
  func foldedBeyond() async throws {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineBalances.self])
    try await store.append([.moved(.init(amount: 1))], to: "s")
    var row = try store.ruleRows()[0]
    row.folded = 1 << 40
    try store.put([row])
    let append = await #expect(throws: AnnalsError.self) {
      try await store.append([.moved(.init(amount: 1))], to: "s")
    }
    #expect(append?.code == .damaged && append?.details.table == "meta")
    let read = #expect(throws: AnnalsError.self) { try store.balance(of: "s") }
    #expect(read?.code == .damaged)
    let report = try EventLog.verify(place.url)
    #expect(report.findings.map(\.place) == ["table 'meta', row 'folded'"])
  }
}
