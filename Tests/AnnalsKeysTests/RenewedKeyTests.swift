import AnnalsTestSupport
import Foundation
import LMDB
import Testing

@testable import Annals
@testable import AnnalsKeys
@testable import AnnalsLog

/// Rotation of keys: passes that encrypt values again, and keys that no event needs any more.
@Suite struct RenewedKeyTests {
  private let customers: Customers

  init() throws {
    customers = try Customers()
  }

  /// The number of keys of each person that has any.
  private func counts(_ log: UUID) throws -> [Int] {
    let directory = try Directory.open(path: customers.url.path(percentEncoded: false))
    let file = try #require(try KeyFile.open(in: directory, of: log, isReadOnly: false, creating: nil))
    var counts: [Int] = []
    try file.eachRow { (name, value) throws(AnnalsError) in
      counts.append(try KeyFile.parsed(KeyFile.content(value, of: name)).keys.count)
    }
    return counts.sorted()
  }

  private static var renewing: MigrationOptions {
    var options = MigrationOptions()
    options.renewsKeys = true
    return options
  }

  @Test func `a pass encrypts values with the newest keys, and the older keys leave all files after it`()
    async throws
  {
    var log = UUID()
    var old: [UInt8] = []
    do {
      let keys = SubjectKeys()
      let store = try customers.store(keys)
      try await customers.fill(store)
      log = store.log.id
      old = try customers.key(of: "c1", log)
      try keys.rotate("c1")
      let report = try await store.migrate(Self.renewing).report()
      #expect(report.isDone && report.rewritten == 1, "the other events keep their bytes")
      #expect(try Customers.names(store) == [Customers.secret, "Ann"])
      let busy = #expect(throws: AnnalsError.self) { try SubjectKeys.removeUnused(ofStoreAt: customers.url) }
      #expect(busy?.code == .busy)
      #expect(busy?.message.contains("close it there first") == true)
    }
    let older = #expect(throws: AnnalsError.self) { try SubjectKeys.removeUnused(ofStoreAt: customers.url) }
    #expect(older?.code == .busy)
    #expect(older?.message.contains("discard-previous") == true)
    #expect(try counts(log) == [1, 2])
    _ = try EventLog.discardPrevious(customers.url)
    #expect(try SubjectKeys.removeUnused(ofStoreAt: customers.url) == 1)
    #expect(try SubjectKeys.removeUnused(ofStoreAt: customers.url) == 0)
    #expect(try counts(log) == [1, 1])
    #expect(try customers.files(with: old) == [])
    #expect(try Customers.names(customers.store()) == [Customers.secret, "Ann"])
    #expect(try EventLog.verify(customers.url).isClean)
  }

  @Test func `an older key stays while any event needs it`() async throws {
    var log = UUID()
    do {
      let keys = SubjectKeys()
      let store = try customers.store(keys)
      try await customers.fill(store)
      log = store.log.id
      for _ in 0..<3 { try keys.rotate("c1") }
      try keys.rotate("c2")
      try await store.append(
        [.registered(.init(customerID: "c2", name: "Anna", phone: nil, city: "Bonn"))], to: "customer-2")
    }
    // Two of the four keys of c1 have never been used.
    #expect(try SubjectKeys.removeUnused(ofStoreAt: customers.url) == 2)
    #expect(try counts(log) == [2, 2])
    #expect(try Customers.names(customers.store()) == [Customers.secret, "Ann", "Anna"])
  }

  @Test func `a pass renews no value of a forgotten person, and none if nothing was rotated`() async throws {
    let keys = SubjectKeys()
    let store = try customers.store(keys)
    try await customers.fill(store)
    try keys.rotate("c1")
    try store.forget("c1", by: "jane", because: "request")
    let report = try await store.migrate(Self.renewing).report()
    #expect(report.isDone && report.rewritten == 0)
    #expect(try Customers.names(store) == ["nobody", "Ann"])
  }

  @Test func `a pass to a newer version renews too, and a rehearsal counts`() async throws {
    do {
      let keys = SubjectKeys()
      let store = try customers.store(keys)
      try await customers.fill(store)
      try keys.rotate("c1")
      var options = Self.renewing
      options.isRehearsal = true
      let report = try await store.migrate(options).report()
      #expect(report.isRehearsal && report.rewritten == 1)
    }
    let store = try customers.store(SubjectKeys(), NewCustomerPlan.self)
    let before = try Customers.events(store)
    _ = try await store.migrate(Self.renewing).report()
    #expect(try Customers.events(store) == before)
  }

  /// Otherwise the new generation would have the newest keys in one part only, and look as if they were
  /// everywhere.
  @Test(arguments: [true, false])
  func `a pass is continued only with the treatment of keys that it was begun with`(isRenewing: Bool)
    async throws
  {
    let keys = SubjectKeys()
    try await customers.fill(customers.store(keys))
    try keys.rotate("c1")
    let store = try customers.store(keys, NewCustomerPlan.self)
    var begun = MigrationOptions()
    begun.renewsKeys = isRenewing
    let same = begun
    var other = begun
    other.renewsKeys = !isRenewing
    begun.unfinished = .discard
    let stopping = Stopping()
    begun.atPoint = { if $0 == .headsCopied { stopping.stop() } }
    let run = try store.migrate(begun)
    stopping.put(run)
    let stopped = await #expect(throws: AnnalsError.self) { try await run.report() }
    #expect(stopped?.code == .cancelled)

    let error = await #expect(throws: AnnalsError.self) { try await store.migrate(other).report() }
    #expect(error?.code == .wrongUse)
    #expect(error?.message.contains(isRenewing ? "with MigrationOptions.renewsKeys" : "without it") == true)
    let report = try await store.migrate(same).report()
    #expect(report.isDone && report.resumedAt > 0)
  }

  @Test func `a pass without keys or without a plan renews nothing`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    let error = #expect(throws: AnnalsError.self) { _ = try store.log.compact(Self.renewing) }
    #expect(error?.code == .wrongUse)
    // Without the option a value keeps its key.
    let report = try await store.migrate().report()
    #expect(!report.isDone)
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `rotations, passes and removals at random change no value that is read`(seed: UInt64) async throws {
    var random = SeededGenerator(seed: seed)
    var names: [String] = []
    for round in 0..<6 {
      do {
        let keys = SubjectKeys()
        let store = try customers.store(keys)
        for _ in 0..<Int.random(in: 1...6, using: &random) {
          let id = "c\(Int.random(in: 0..<4, using: &random))"
          if Int.random(in: 0..<3, using: &random) == 0 { try keys.rotate(id) }
          let name = "name \(names.count)"
          names.append(name)
          try await store.append(
            [.registered(.init(customerID: id, name: name, phone: name, city: ""))], to: StreamName(id))
        }
        if Bool.random(using: &random) { _ = try await store.migrate(Self.renewing).report() }
        #expect(try Customers.names(store) == names, "seed \(seed), round \(round)")
      }
      if Bool.random(using: &random) {
        _ = try EventLog.discardPrevious(customers.url)
        _ = try SubjectKeys.removeUnused(ofStoreAt: customers.url)
      }
      #expect(try Customers.names(customers.store()) == names, "seed \(seed), round \(round)")
      #expect(try EventLog.verify(customers.url).isClean)
    }
  }

  @Test func `the row of drops is read as it was written, and no other bytes are`() throws {
    let row = KeyDropsRow(drops: [
      KeyDrop(author: "jane", reason: "", after: 0), KeyDrop(author: "", reason: "request", after: 300),
    ])
    let bytes = row.encoded()
    #expect(
      bytes == [2, 4, 0x6a, 0x61, 0x6e, 0x65, 0, 0, 0, 7, 0x72, 0x65, 0x71, 0x75, 0x65, 0x73, 0x74, 0xac, 2])
    #expect(try KeyDropsRow(bytes.span) == row)
    for count in bytes.indices {
      #expect(throws: FormatFailure.self) { try KeyDropsRow(Array(bytes.prefix(count)).span) }
    }
    #expect(throws: FormatFailure.self) { try KeyDropsRow((bytes + [0]).span) }
  }
}
