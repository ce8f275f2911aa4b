import Testing

@testable import Annals

/// Programs of two versions on one store, before and after a projection comes into force.
struct InlineActivationTests {
  private func code(_ body: () async throws(AnnalsError) -> Appended) async -> AnnalsError.Code? {
    do throws(AnnalsError) { _ = try await body() } catch { return error.code }
    return nil
  }

  @Test func `Before the activation programs with and without a projection append, as if it were absent`()
    async throws
  {
    let place = try TemporaryStore()
    let without = try place.accounts([])
    try await without.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    let with = try place.accounts([InlineNames.self])
    try await with.append([.opened(.init(name: "Bo", code: 1))], to: "b")
    // The account is open, and nothing refuses the event yet.
    try await with.append([.opened(.init(name: "Cy", code: 1))], to: "b")
    try await without.append([.closed(.init())], to: "b")
    try await place.open().append([try .placed(1)], to: "orders")
    let unread = #expect(throws: AnnalsError.self) { try with.holder(of: "a") }
    #expect(unread?.code == .requiresActivation)
    #expect(try with.ruleRows() == [] && with.log.inlineProjections().isEmpty)
    #expect(try with.inlineNeeds().count == 1)
  }

  @Test(arguments: [true, false])
  func `After it programs that know the projection fold it, and others do not append`(isOpen: Bool)
    async throws
  {
    let place = try TemporaryStore()
    let without = try place.accounts([])
    try await without.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    let early = try place.accounts([InlineNames.self])
    try await early.append([.opened(.init(name: "Bo", code: 1))], to: "b")
    if isOpen {
      _ = try place.accounts([InlineNames.self], activating: true)
    } else {
      let store = try place.accounts([InlineNames.self])
      #expect(try store.activate(isRehearsal: true).isActivated == false)
      #expect(try store.ruleRows() == [])
      _ = try store.activate()
    }
    // A program that opened the store before knows of it from here on.
    #expect(
      await code { () async throws(AnnalsError) in
        try await early.append([.opened(.init(name: "Ann", code: 2))], to: "c")
      } == .rejected)
    try await early.append([.opened(.init(name: "Cy", code: 2))], to: "c")
    #expect(try early.holder(of: "a") == "Ann" && early.holder(of: "c") == "Cy")
    let superseded = await #expect(throws: AnnalsError.self) {
      try await without.append([.moved(.init(amount: 1))], to: "a")
    }
    #expect(superseded?.code == .superseded)
    #expect(
      superseded?.message.contains("version 1 of the inline projection 'names'") == true)
    let needsPlan = await #expect(throws: AnnalsError.self) {
      try await place.open().append([try .placed(1)], to: "a")
    }
    #expect(needsPlan?.code == .needsPlan && needsPlan?.message.contains("'names'") == true)
    #expect(try without.log.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == 3)
    try expectAgreement(early)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `A raised version leaves the one in force to its programs until the activation`() async throws {
    let place = try TemporaryStore()
    let old = try place.accounts([InlineNames.self])
    try await old.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    let new = try place.accounts([InlineNames2.self])
    let waiting = await #expect(throws: AnnalsError.self) {
      try await new.append([.opened(.init(name: "Ann", code: 1))], to: "b")
    }
    #expect(waiting?.code == .requiresActivation)
    #expect(waiting?.message.contains("this program has version 2: run 'activate'") == true)
    try await old.append([.opened(.init(name: "Bo", code: 1))], to: "b")
    #expect(try new.read { (snapshot) throws(AnnalsError) in try snapshot.head() } == 2)
    _ = try new.activate()
    try await new.append([.opened(.init(name: "Ann", code: 1))], to: "c")
    #expect(
      await code { () async throws(AnnalsError) in
        try await old.append([.opened(.init(name: "Di", code: 1))], to: "d")
      } == .superseded)
    try expectAgreement(new)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `An activation that the log refuses leaves the store to all programs`() async throws {
    let place = try TemporaryStore()
    let without = try place.accounts([])
    for name in ["a", "b"] as [StreamName] {
      try await without.append([.opened(.init(name: "Ann", code: 1))], to: name)
    }
    let with = try place.accounts([InlineNames.self])
    let error = #expect(throws: AnnalsError.self) { try with.activate() }
    #expect(error?.code == .rejected && error?.details.position == 2)
    #expect(error?.message.hasPrefix("position 2: the inline projection 'names' does not accept") == true)
    #expect(error?.message.contains("nothing of the call") == false)
    try await without.append([.closed(.init())], to: "a")
    try await with.append([.moved(.init(amount: 1))], to: "b")
    #expect(try with.ruleRows().allSatisfy { !$0.isInForce })
  }
}
