import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore

struct InlineProjectionTests {
  @Test("a program that has appended reads the rows at once, and a taken name is refused with the whole call")
  func refusal() async throws {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineNames.self])
    try await store.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    #expect(try store.holder(of: "a") == "Ann")
    let error = await #expect(throws: AnnalsError.self) {
      try await store.append { call in
        call.append([.opened(.init(name: "Bo", code: nil))], to: "b")
        call.append([.opened(.init(name: "Ann", code: nil))], to: "c")
      }
    }
    #expect(error?.code == .rejected)
    #expect(error?.message.contains("'names'") == true && error?.details.stream == "c")
    #expect(try store.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == 1)
    #expect(try store.holder(of: "b") == nil)
    try await store.append([.opened(.init(name: "Bo", code: nil))], to: "b")
    try await store.append([.closed(.init())], to: "a")
    try await store.append([.opened(.init(name: "Ann", code: 2))], to: "d")
    let again = await #expect(throws: AnnalsError.self) {
      try await store.append([.opened(.init(name: "Cy", code: nil))], to: "d")
    }
    #expect(again?.code == .rejected && again?.message.contains("the account is open") == true)
    try expectAgreement(store)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test("calls of one group are refused one by one")
  func group() async throws {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineNames.self, InlineBalances.self])
    let accepted = await withTaskGroup(of: Bool.self) { group in
      for number in 0..<200 {
        group.addTask {
          do {
            try await store.append(
              [.opened(.init(name: "n\(number % 20)", code: number)), .moved(.init(amount: number))],
              to: "s\(number)")
            return true
          } catch {
            return false
          }
        }
      }
      return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
    }
    #expect(accepted == 20)
    #expect(try store.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == 40)
    try expectAgreement(store)
  }

  @Test("a projection is folded from the log that is there when the store is activated with it")
  func registration() async throws {
    let place = try TemporaryStore()
    let plain = try place.accounts([])
    for number in 0..<10 {
      try await plain.append(
        (0..<1_000).map { .moved(.init(amount: $0)) }, to: "s\(number)")
    }
    let store = try place.accounts([InlineBalances.self], activating: true)
    #expect(try store.balance(of: "s3") == 499_500)
    try expectAgreement(store)
    try await store.append([.moved(.init(amount: 500))], to: "s3")
    #expect(try store.balance(of: "s3") == 500_000)
  }

  @Test("a log that a projection refuses cannot be activated with it, and goes on without it")
  func refusedLog() async throws {
    let place = try TemporaryStore()
    let plain = try place.accounts([])
    try await plain.append([.opened(.init(name: "Ann", code: nil))], to: "a")
    try await plain.append([.opened(.init(name: "Ann", code: nil))], to: "b")
    let error = #expect(throws: AnnalsError.self) {
      try place.accounts([InlineNames.self], activating: true)
    }
    #expect(error?.code == .rejected && error?.details.position == 2)
    try await plain.append([.closed(.init())], to: "a")
    #expect(try EventLog.verify(place.url).isClean)
    _ = try place.accounts([InlineBalances.self], activating: true)
    #expect(
      try plain.log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.ruleRows().count } == 1)
  }

  @Test("A program without a projection in force reads, and does not append")
  func missing() async throws {
    let place = try TemporaryStore()
    let store = try place.accounts([InlineNames.self])
    try await store.append([.opened(.init(name: "Ann", code: nil))], to: "a")
    let other = try place.accounts([InlineBalances.self])
    let superseded = await #expect(throws: AnnalsError.self) {
      try await other.append([.moved(.init(amount: 1))], to: "a")
    }
    #expect(superseded?.code == .superseded && superseded?.message.contains("'names'") == true)
    let needsPlan = await #expect(throws: AnnalsError.self) {
      try await place.open().append([try .placed(1)], to: "a")
    }
    #expect(needsPlan?.code == .needsPlan)
    #expect(try other.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == 1)
    #expect(try other.holder(of: "a") == "Ann")
  }

  @Test("a raised version takes the place of the one before when the store is opened with activating")
  func raised() async throws {
    let place = try TemporaryStore()
    let old = try place.accounts([InlineNames.self])
    try await old.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    let waiting = try place.accounts([InlineNames2.self])
    let error = await #expect(throws: AnnalsError.self) {
      try await waiting.append([.opened(.init(name: "Bo", code: nil))], to: "c")
    }
    #expect(error?.code == .requiresActivation && error?.message.contains("version 1 ") == true)
    let new = try place.accounts([InlineNames2.self], activating: true)
    try await new.append([.opened(.init(name: "Ann", code: 2))], to: "b")
    let holder = try new.read { (snapshot) throws(AnnalsError) in
      try snapshot.inline(InlineNames2.self).get(InlineNames2.Holder.self, "Ann")
    }
    #expect(holder?.accounts == ["a", "b"])
    let superseded = await #expect(throws: AnnalsError.self) {
      try await old.append([.opened(.init(name: "Bo", code: nil))], to: "c")
    }
    #expect(superseded?.code == .superseded)
    let unread = #expect(throws: AnnalsError.self) { try old.holder(of: "a") }
    #expect(unread?.code == .superseded)
    // The program of the version before opens and reads.
    let late = try place.accounts([InlineNames.self])
    #expect(try late.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == 2)
    // Nothing of the older version is left.
    let rows = try new.log.read { (snapshot) throws(AnnalsError) in
      guard let table = snapshot.generation.inline else { return ([Int](), -1) }
      return (
        try snapshot.reader.ruleRows().map(\.version),
        try snapshot.reader.keys(beginningWith: RuleRow.keyPrefix(1), in: table, limit: 10).count
      )
    }
    #expect(rows == ([2], 0))
  }

  @Test("tables that change without a higher version are refused, and so are two projections of one name")
  func problems() throws {
    let place = try TemporaryStore()
    _ = try place.accounts([InlineNames.self])
    let error = #expect(throws: AnnalsError.self) {
      try place.accounts([InlineNames.self, InlineNames2.self])
    }
    #expect(error?.code == .invalidPlan)
  }
}
