import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

/// Views and inline projections after an erasure: kept, changed by a callback or folded again.
@Suite struct ErasingProjectionTests {
  private typealias Amounts = ErasingProjections.Amounts
  private typealias Lines = ErasingProjections.Lines
  private typealias Holders = ErasingProjections.Holders
  private let customers: ErasedCustomers

  init() throws {
    customers = try ErasedCustomers()
  }

  /// The number of the file that is read of a view.
  private func number(_ store: EventStore<InlineAccountsPlan>, _ name: String) throws -> UInt64? {
    try store.log.views().first { $0.name == name && $0.state == .ready }?.number
  }

  /// Waits until a view that was withdrawn can be read again, up to a position.
  private func wait<P: Projection>(for view: View<P>, _ position: Position) async throws {
    for _ in 0..<5_000 {
      do throws(AnnalsError) {
        let read = try view.read { (snapshot) throws(AnnalsError) in try snapshot.position() }
        if let read, read >= position { return }
      } catch {
        guard error.code == .busy else { throw error }
      }
      try await Task.sleep(for: .milliseconds(2))
    }
    Issue.record("the view does not reach \(position)")
  }

  private func lines(_ view: View<Lines>) throws(AnnalsError) -> [UInt64: String] {
    try view.read { (snapshot) throws(AnnalsError) in
      Dictionary(
        uniqueKeysWithValues: try snapshot.rows(RowQuery(Lines.Line.self)).map { ($0.position, $0.text) })
    }
  }

  private func holders(_ store: EventStore<InlineAccountsPlan>) throws(AnnalsError) -> [UInt64: String] {
    try store.read { (snapshot) throws(AnnalsError) in
      let rows = try snapshot.inline(Holders.self).rows(RowQuery(Holders.Holder.self))
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.position, $0.name) })
    }
  }

  @Test func `a view that none of the erased events can have reached is kept`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    let (amounts, people) = (try store.view(Amounts.self), try store.view(ErasedCustomers.People.self))
    try await amounts.waitUntil(7)
    try await people.waitUntil(7)
    let before = (try number(store, "amounts"), try number(store, "people"))
    // A name, and nothing that was moved.
    let report = try store.erase([1], by: "jane", because: "request")
    #expect(try number(store, "amounts") == before.0, "no read of it is refused")
    let count = try amounts.read { try $0.get(Amounts.Amount.self, 2)?.amount }
    #expect(count == 1)
    try await wait(for: people, report.recorded[0])
    #expect(try number(store, "people") != before.1)
    // The log without a plan knows it from the view's file.
    try store.log.erase([6], by: "jane", because: "request")
    #expect(try number(store, "amounts") == before.0)
    try store.log.erase([2], by: "jane", because: "request")
    #expect(try number(store, "amounts") == nil)
    try await wait(for: amounts, 10)
    #expect(try amounts.read { try $0.get(Amounts.Amount.self, 2) } == nil)
    #expect(try EventLog.verify(customers.place.url).isClean)
  }

  @Test func `a projection takes erased events out of its rows itself, and no page of its file has them`()
    async throws
  {
    let id = UUID()
    let folded = { ErasingProjections.folded.withLock { $0[id] ?? [] } }
    do {
      let store = try customers.store()
      try await customers.fill(store, id: id)
      let view = try store.view(Lines.self)
      try await view.waitUntil(7)
      #expect(try lines(view)[1] == ErasedCustomers.secret)
      #expect(folded() == [1])
      let report = try store.erase([1, 3], by: "jane", because: "request")
      try await wait(for: view, report.recorded[0])
      #expect(try lines(view).keys.sorted() == [2, 4, 5, 6, 7])
      #expect(try view.count("customer-1") == 3)
      try await store.append([.moved(.init(amount: 9))], to: "customer-1")
      try await view.waitUntil(9)
      #expect(try lines(view)[9] == "9")
    }
    // The other file is gone once no program has it open.
    do {
      let store = try customers.store()
      let view = try store.view(Lines.self)
      try await view.waitUntil(9)
      #expect(try lines(view).count == 6)
      for _ in 0..<500 where try store.log.views().count > 1 { try await Task.sleep(for: .milliseconds(10)) }
    }
    #expect(try customers.hasSecret(in: customers.place.url.appendingPathComponent("views")) == [])
    #expect(folded() == [1], "the erased event is not folded a second time")
    #expect(try EventLog.verify(customers.place.url).isClean)
  }

  @Test func `waits that begin after an erasure end when the view can be read again`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    let view = try store.view(Lines.self)
    try await view.waitUntil(7)
    try store.erase([1], by: "jane", because: "request")
    try await view.waitUntilCaughtUp()
    #expect(try lines(view).keys.sorted() == [2, 3, 4, 5, 6, 7])
    try store.erase([2], by: "jane", because: "request")
    try await view.waitUntilBuilt()
    #expect(try lines(view).keys.sorted() == [3, 4, 5, 6, 7])
    let report = try store.erase([3], by: "jane", because: "request")
    try await view.waitUntil(report.recorded[0], timeout: .seconds(60))
    #expect(try lines(view).keys.sorted() == [4, 5, 6, 7])
  }

  @Test func `rows are folded again where a callback fails, or an erasure was cut short`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    let (unable, view) = (try store.view(ErasingProjections.Unable.self), try store.view(Lines.self))
    try await unable.waitUntil(7)
    try await view.waitUntil(7)
    let report = try store.erase([3], by: "jane", because: "request")
    try await wait(for: unable, report.recorded[0])
    #expect(try unable.read { try $0.get(ErasingProjections.Unable.Total.self, "customer-1")?.amount } == 8)
    try await wait(for: view, report.recorded[0])
    // As a process that is killed between the views and the log.
    let kinds = try store.log.read { (snapshot) throws(AnnalsError) in try ErasedKinds([1, 4], snapshot) }
    try store.log.core.withdrawViews(of: kinds)?.end()
    try await wait(for: view, report.recorded[0])
    #expect(try lines(view).keys.sorted() == [1, 2, 4, 5, 6, 7])
    try store.erase([1, 4], by: "jane", because: "request")
    try await wait(for: view, 9)
    #expect(try lines(view).keys.sorted() == [2, 5, 6, 7])
  }

  @Test func `inline projections are kept, changed by a callback or folded again`() async throws {
    let id = UUID()
    let inline: [any InlineProjection<InlineAccountsV1.Event>.Type] = [Holders.self, InlineBalances.self]
    let store = try customers.place.accounts(inline, activating: true)
    try await customers.fill(store, id: id)
    #expect(try holders(store) == [1: ErasedCustomers.secret, 6: "Ann"])
    // The amounts do not reach the holders.
    try store.erase([3], by: "jane", because: "request")
    #expect(try store.balance(of: "customer-1") == 8)
    #expect(try holders(store) == [1: ErasedCustomers.secret, 6: "Ann"])
    #expect(ErasingProjections.folded.withLock { $0[id] } == [1], "it was not folded again")
    try store.erase([1], by: "jane", because: "request")
    #expect(try holders(store) == [6: "Ann"])
    #expect(try store.balance(of: "customer-1") == 8)
    // The unique name is free again.
    try await store.append([.opened(.init(name: ErasedCustomers.secret, code: nil))], to: "customer-3")
    #expect(try holders(store) == [6: "Ann", 10: ErasedCustomers.secret])
    #expect(try EventLog.verify(customers.place.url).isClean)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `rows after a callback are those that a fold of the rest gives`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    let inline: [any InlineProjection<InlineAccountsV1.Event>.Type] = [Holders.self]
    var model: [UInt64: (account: StreamName, text: String)] = [:]
    var store = try customers.place.accounts(inline, activating: true)
    var view = try store.view(Lines.self)
    for round in 0..<8 {
      for number in 0..<Int.random(in: 1...30, using: &random) {
        let account = StreamName("account-\(Int.random(in: 0..<6, using: &random))")
        let isName = Int.random(in: 0..<3, using: &random) == 0
        let name = "\(account.text)-\(round)-\(number)"
        let event: InlineAccountsV1.Event =
          isName ? .opened(.init(name: name, code: nil)) : .moved(.init(amount: number))
        let position = try await store.append([event], to: account).positions[0]
        model[position.rawValue] = (account, isName ? name : "\(number)")
      }
      let chosen = model.keys.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
      try store.erase(chosen.map { Position($0) }, by: "jane", because: "request")
      for position in chosen { model[position] = nil }
      let last = try #require(try store.log.read { try $0.head() })
      if Bool.random(using: &random) {
        _ = consume view
        store = try customers.place.accounts(inline)
        view = try store.view(Lines.self)
      }
      try await wait(for: view, last)
      #expect(try lines(view) == model.mapValues(\.text), "seed \(seed), round \(round)")
      #expect(try holders(store) == model.mapValues(\.text).filter { $0.value.contains("-") })
    }
    #expect(try EventLog.verify(customers.place.url).isClean)
  }

  @Test func `sets of positions have unions and beginnings`() {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      func set() -> Set<UInt64> {
        Set(
          (0..<Int.random(in: 0...20, using: &random)).map { _ in UInt64.random(in: 1...40, using: &random) })
      }
      let (left, right, end) = (set(), set(), UInt64.random(in: 0...45, using: &random))
      let (a, b) = (PositionRanges(left.map { Position($0) }), PositionRanges(right.map { Position($0) }))
      #expect(a.union(b) == PositionRanges(left.union(right).map { Position($0) }))
      #expect(a.prefix(through: end) == PositionRanges(left.filter { $0 <= end }.map { Position($0) }))
    }
  }
}

extension View where P == ErasingProjections.Lines {
  /// The number of lines of an account, by the secondary key.
  fileprivate func count(_ account: String) throws(AnnalsError) -> Int {
    try read { (snapshot) throws(AnnalsError) in
      try snapshot.rows(RowQuery(ErasingProjections.Lines.Line.byAccount, .key(account))).count
    }
  }
}
