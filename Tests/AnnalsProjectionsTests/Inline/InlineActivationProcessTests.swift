import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsProjections
@testable import AnnalsStore
@testable import AnnalsVerify

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The balances of ``InlineBalances``, in a program that is killed after the first transaction of a fold.
private enum KilledBalances: InlineProjection {
  typealias Event = InlineAccountsV1.Event
  static let name = InlineBalances.name
  static let version = InlineBalances.version
  static var tables: [ProjectionTable] { InlineBalances.tables }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    // Longer than a transaction may fold, so it ends with this chunk.
    if entry.position == 4_096 { usleep(60_000) }
    if entry.position == 4_097 { kill(getpid(), SIGKILL) }
    try InlineBalances.apply(entry, to: &rows)
  }
}

/// The same by a program that folds one chunk in each transaction.
private enum SlowBalances: InlineProjection {
  typealias Event = InlineAccountsV1.Event
  static let name = InlineBalances.name
  static let version = InlineBalances.version
  static var tables: [ProjectionTable] { InlineBalances.tables }
  /// The number of chunks that were folded.
  static let chunks = Atomic(0)

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    if entry.position.rawValue.isMultiple(of: 4_096) {
      usleep(60_000)
      chunks.add(1, ordering: .relaxed)
    }
    try InlineBalances.apply(entry, to: &rows)
  }
}

/// Activations by several processes, and appends meanwhile.
@Suite(.serialized) struct InlineActivationProcessTests {
  /// An event of the accounts, as a program without a plan appends it.
  private static func moved() throws -> NewEntry {
    NewEntry(type: "Moved", version: SchemaVersion(1, 0, 0), payload: try Payload(["amount": .init(1)]))
  }

  @Test func `After a killed activation the projection is out of force, and the next one continues`()
    async throws
  {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let without = try place.accounts([])
    try await without.append((0..<6_000).map { _ in .moved(.init(amount: 1)) }, to: "s")
    await #expect(processExitsWith: .signal(SIGKILL)) { [path = place.url.path as String] in
      var options = StoreOptions()
      options.activating = true
      _ = try EventStore(
        at: URL(fileURLWithPath: path), plan: InlineAccountsPlan.self, options: options,
        inline: [InlineNames.self, KilledBalances.self])
    }
    let found = try without.log.inlineProjections()
    // They come into force together.
    #expect(found.map(\.state) == [.building, .building] && found.map(\.position) == [4_096, 6_000])
    let with = try place.accounts([InlineNames.self, InlineBalances.self])
    try await without.append([.moved(.init(amount: 1))], to: "s")
    try await with.append([.moved(.init(amount: -5_000))], to: "s")
    try await place.open().append([Self.moved()], to: "s")
    let unread = #expect(throws: AnnalsError.self) { try with.balance(of: "s") }
    #expect(unread?.code == .requiresActivation)
    _ = try with.activate()
    #expect(try with.balance(of: "s") == 1_002)
    #expect(try with.ruleRows().map(\.number) == [1, 2])
    try expectAgreement(with)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `A program follows an activation by another process with its next append`() async throws {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let (without, untyped) = (try place.accounts([]), try place.open())
    try await without.append([.opened(.init(name: "Ann", code: 1))], to: "a")
    let early = try place.accounts([InlineNames.self])
    try await early.append([.opened(.init(name: "Bo", code: 1))], to: "b")
    await #expect(processExitsWith: .success) { [path = place.url.path as String] in
      let store = try EventStore(
        at: URL(fileURLWithPath: path), plan: InlineAccountsPlan.self, inline: [InlineNames.self])
      _ = try store.activate()
      try await store.append([.opened(.init(name: "Cy", code: 1))], to: "c")
    }
    let taken = await #expect(throws: AnnalsError.self) {
      try await early.append([.opened(.init(name: "Cy", code: 2))], to: "d")
    }
    #expect(taken?.code == .rejected)
    try await early.append([.opened(.init(name: "Di", code: 2))], to: "d")
    #expect(try early.holder(of: "c") == "Cy" && early.holder(of: "d") == "Di")
    let superseded = await #expect(throws: AnnalsError.self) {
      try await without.append([.moved(.init(amount: 1))], to: "a")
    }
    #expect(superseded?.code == .superseded)
    let needsPlan = await #expect(throws: AnnalsError.self) {
      try await untyped.append([Self.moved()], to: "a")
    }
    #expect(needsPlan?.code == .needsPlan)
    try expectAgreement(early)
  }

  @Test func `Two processes that activate at once put a projection in force once`() async throws {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let without = try place.accounts([])
    for number in 0..<40 {
      try await without.append(
        [.opened(.init(name: "n\(number)", code: nil))] + (0..<1_000).map { .moved(.init(amount: $0)) },
        to: "s\(number)")
    }
    let own = try place.accounts([InlineNames.self, InlineBalances.self])
    let activating = Task.detached { try own.activate() }
    await #expect(processExitsWith: .success) { [path = place.url.path as String] in
      let store = try EventStore(
        at: URL(fileURLWithPath: path), plan: InlineAccountsPlan.self,
        inline: [InlineBalances.self, InlineNames.self])
      _ = try store.activate()
      try await store.append([.opened(.init(name: "other", code: nil))], to: "other")
    }
    _ = try await activating.value
    try await own.append([.opened(.init(name: "own", code: nil))], to: "own")
    let rows = try own.ruleRows()
    #expect(rows.count == 2 && rows.allSatisfy { $0.isInForce && $0.folded == 40_042 })
    #expect(try own.holder(of: "other") == "other" && own.balance(of: "s7") == 499_500)
    try expectAgreement(own)
    #expect(try EventLog.verify(place.url).isClean)
  }

  /// Appends until `isOver`, or until an append is refused.
  ///
  /// - Returns: The number of appends that were stored while the log was folded, and the code of the refusal.
  private func appends(
    until isOver: borrowing Atomic<Bool>, _ append: () async throws(AnnalsError) -> Appended
  ) async -> (during: Int, refusal: AnnalsError.Code?) {
    var during = 0
    while !isOver.load(ordering: .acquiring) {
      let hasBegun = SlowBalances.chunks.load(ordering: .relaxed) > 0
      do throws(AnnalsError) { _ = try await append() } catch { return (during, error.code) }
      if hasBegun { during += 1 }
    }
    return (during, nil)
  }

  /// Whether an activation has ended.
  private final class Ending: Sendable {
    let isOver = Atomic(false)
  }

  @Test func `Programs append between the transactions of a long fold, until the projection is in force`()
    async throws
  {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let (without, untyped) = (try place.accounts([]), try place.open())
    for _ in 0..<12 {
      try await without.append((0..<4_096).map { _ in .moved(.init(amount: 1)) }, to: "s")
    }
    let with = try place.accounts([SlowBalances.self])
    let ending = Ending()
    let known = Task {
      await appends(until: ending.isOver) { () async throws(AnnalsError) in
        try await with.append([.moved(.init(amount: 1))], to: "known")
      }
    }
    let unknown = Task {
      await appends(until: ending.isOver) { () async throws(AnnalsError) in
        try await without.append([.moved(.init(amount: 1))], to: "unknown")
      }
    }
    let moved = try Self.moved()
    let planless = Task {
      await appends(until: ending.isOver) { () async throws(AnnalsError) in
        try await untyped.append([moved], to: "untyped")
      }
    }
    let activating = Task.detached {
      defer { ending.isOver.store(true, ordering: .releasing) }
      _ = try with.activate()
    }
    try await activating.value
    let (a, b, c) = (await known.value, await unknown.value, await planless.value)
    #expect(a.during > 0 && b.during > 0 && c.during > 0)
    #expect(a.refusal == nil)
    // Their next append is refused, if none was yet.
    let superseded = await #expect(throws: AnnalsError.self) {
      try await without.append([.moved(.init(amount: 1))], to: "s")
    }
    let needsPlan = await #expect(throws: AnnalsError.self) { try await untyped.append([moved], to: "s") }
    #expect(superseded?.code == .superseded && [nil, .superseded].contains(b.refusal))
    #expect(needsPlan?.code == .needsPlan && [nil, .needsPlan].contains(c.refusal))
    try expectAgreement(place.accounts([InlineBalances.self]))
  }
}
