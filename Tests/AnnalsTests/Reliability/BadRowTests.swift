import Foundation
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsMaintenance
@testable import AnnalsVerify
@testable import LMDB

/// Rows that are not as they must be, or that only a newer program understands.
@Suite struct BadRowTests {
  /// Changes tables of the store at `url` below everything that would refuse it.
  func craft(
    _ url: URL, _ body: (inout WriteTransaction, StoreTables) throws(EnvironmentError) -> Void
  ) throws {
    let directory = try Directory.open(path: url.path)
    let locks = EnvironmentLocks(
      open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
      write: try FileLock("write.lock", in: directory))
    let environment = try Environment.open(
      Specimen.file, in: directory, tables: StoreTables.definitions, locks: locks)
    let tables = StoreTables(environment)
    try environment.write { (transaction) throws(EnvironmentError) in try body(&transaction, tables) }
  }

  /// Puts a row of `meta`, with its checksum.
  private func setMeta(_ url: URL, _ name: StoreMeta.Name, _ value: [UInt8]) throws {
    let key = Array(name.rawValue.utf8)
    try craft(url) { (transaction, tables) throws(EnvironmentError) in
      try transaction.put(Row.seal(value, key: key).span, forKey: key.span, in: tables.meta)
    }
  }

  private func requirements(_ requirement: StoreMeta.Requirement) -> [UInt8] {
    var meta = StoreMeta(log: UUID())
    meta.requires = [requirement]
    return meta.value(of: .requires)
  }

  /// What every opener says; `nil` where it opens the store.
  private func refusals(_ place: TemporaryStore) throws -> [Opener: AnnalsError] {
    let before = try Inventory(place.directory)
    var refusals: [Opener: AnnalsError] = [:]
    for opener in Opener.allCases { refusals[opener] = opener.refusal(place.url) }
    #expect(try Inventory(place.directory) == before)
    return refusals
  }

  private func specimen() async throws -> TemporaryStore {
    let place = try TemporaryStore()
    try await Specimen.create(at: place.url)
    return place
  }

  @Test(
    arguments: [
      ("a newer format", StoreMeta.Name.format, [2, 0, 0, 0], AnnalsError.Code.formatVersion),
      ("another order of bytes", .endianness, [1, 2, 3, 4, 5, 6, 7, 8], .damaged),
      ("a generation under construction", .state, [UInt8](repeating: 0, count: 17), .damaged),
      ("a generation that one succeeds which is missing", .state, [3, 2, 1], .incomplete),
      ("a seal of an epoch that was before", .state, [3, 2, 0], .damaged),
      ("a seal that names no generation", .state, [3, 0, 1], .damaged),
      ("a state that does not exist", .state, [9], .damaged),
      ("a value too long", .epoch, [0, 0], .damaged),
      ("a value too short", .log, [1, 2, 3], .damaged),
      ("another log", .log, [UInt8](repeating: 7, count: 16), .foreign),
      ("another generation", .generation, [2], .foreign),
    ] as [(String, StoreMeta.Name, [UInt8], AnnalsError.Code)]
  ) func `a row of meta that speaks of`(
    what: String, name: StoreMeta.Name, value: [UInt8], code: AnnalsError.Code
  )
    async throws
  {
    let place = try await specimen()
    try setMeta(place.url, name, value)
    let refusals = try refusals(place)
    #expect(
      refusals.mapValues(\.code) == Dictionary(uniqueKeysWithValues: Opener.allCases.map { ($0, code) }))
  }

  @Test func `a feature that reading needs stops everybody`() async throws {
    let place = try await specimen()
    try setMeta(place.url, .requires, requirements(.init(name: "wings", isForReading: true)))
    let refusals = try refusals(place)
    #expect(refusals.count == Opener.allCases.count)
    #expect(refusals.values.allSatisfy { $0.code == .needsNewer && $0.message.contains("'wings'") })
  }

  @Test func `a feature that only writing needs stops writers`() async throws {
    let place = try await specimen()
    try setMeta(place.url, .requires, requirements(.init(name: "wings", isForReading: false)))
    let refusals = try refusals(place)
    #expect(Set(refusals.keys) == [.readWrite, .trustingNobody, .typed])
    #expect(refusals.values.allSatisfy { $0.code == .needsNewer })
    let log = try place.open(StoreOptions(access: .readOnly))
    #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count } > 100)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `a feature that comes while a store is open stops its next append`() async throws {
    let place = try await specimen()
    let log = try place.open()
    try setMeta(place.url, .requires, requirements(.init(name: "wings", isForReading: false)))
    let error = await #expect(throws: AnnalsError.self) { try await log.append([.sized(1)], to: "a") }
    #expect(error?.code == .needsNewer)
    #expect(try log.read { (snapshot) throws(AnnalsError) in try snapshot.all().count } > 100)
  }

  @Test(
    arguments: [([2], .appendsSuspended), ([3, 2, 1], .incomplete), ([3, 2, 0], .damaged)]
      as [([UInt8], AnnalsError.Code)])
  func `a generation that is held, or sealed without a successor, while a store is open takes no append`(
    state: [UInt8], code: AnnalsError.Code
  ) async throws {
    let place = try await specimen()
    let log = try place.open()
    try setMeta(place.url, .state, state)
    let error = await #expect(throws: AnnalsError.self) { try await log.append([.sized(1)], to: "a") }
    #expect(error?.code == code)
  }

  @Test func `a shape whose text is not the one of its fingerprint is damage that names its table`()
    async throws
  {
    let place = try await specimen()
    let declared = KindRow(
      ordinal: 1, name: "Declared", shape: .declared(fingerprint: Array(repeating: 7, count: 32), text: "x"),
      first: 1)
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      try transaction.put(Row.seal(declared.encoded(), key: Row.key(99)).span, forKey: 99, in: tables.kinds)
    }
    let refusals = try refusals(place)
    #expect(refusals.count == Opener.allCases.count)
    #expect(refusals.values.allSatisfy { $0.code == .damaged })
    // A finding names its place apart from the problem.
    #expect(refusals.allSatisfy { $0.key == .verify || $0.value.details.table == "kinds" })
  }

  @Test(arguments: ["schemas", "kinds", "census", "heads"])
  func `a row whose checksum is wrong is damage that names its table`(table: String) async throws {
    let place = try await specimen()
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      let table = [tables.schemas, tables.kinds, tables.census, tables.heads].first {
        $0.definition.name == table
      }
      guard let table else { return }
      try transaction.put([1, 2, 3, 4, 5, 6, 7, 8].span, forKey: 1, in: table)
    }
    try await expectDamage(place, table)
  }

  @Test(arguments: ["streams", "meta"])
  func `a row under a name whose checksum is wrong is damage that names its table`(table: String) async throws
  {
    let place = try await specimen()
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      let key = Array((table == "meta" ? "window" : "order 1").utf8)
      let table = table == "meta" ? tables.meta : tables.streams
      try transaction.put([1, 2, 3, 4, 5, 6, 7, 8].span, forKey: key.span, in: table)
    }
    try await expectDamage(place, table)
  }

  /// A read that uses the table throws, and so does an append; the verification names it.
  private func expectDamage(_ place: TemporaryStore, _ table: String) async throws {
    var thrown: [AnnalsError] = []
    do throws(AnnalsError) {
      let log = try place.open()
      do throws(AnnalsError) {
        _ = try log.read { (snapshot) throws(AnnalsError) in try Reading(snapshot) }
      } catch {
        thrown.append(error)
      }
      do throws(AnnalsError) {
        try await log.append(
          [NewEntry(type: "Placed", version: SchemaVersion(1, 0, 0), payload: Payload(stored: [0xa0]))],
          to: table == "heads" ? "order 0" : "order 1")
      } catch { thrown.append(error) }
    } catch {
      thrown.append(error)
    }
    #expect(!thrown.isEmpty)
    #expect(thrown.allSatisfy { $0.code == .damaged && $0.details.table == table }, "\(thrown)")
    do throws(AnnalsError) {
      let report = try EventLog.verify(place.url)
      #expect(report.findings.contains { $0.place.contains("'\(table)'") }, "\(report.findings)")
    } catch {
      #expect(error.details.table == table)
    }
  }

  @Test func `an entry whose checksum is wrong is damage at its position`() async throws {
    let place = try await specimen()
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      try transaction.put([UInt8](repeating: 1, count: 40).span, forKey: 20, in: tables.entries)
    }
    let log = try place.open()
    let error = #expect(throws: AnnalsError.self) {
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    }
    #expect(error?.code == .damaged)
    #expect(error?.details.position == 20)
    #expect(try EventLog.verify(place.url).findings.contains { $0.position == 20 })
  }

  @Test func `an entry of a later format is not called damaged`() async throws {
    let place = try await specimen()
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      var bytes: [UInt8] = [2] + [UInt8](repeating: 0, count: 30)
      let checksum = EntryHeader.checksum(of: bytes.span, at: 20)
      for index in 0..<4 { bytes[3 + index] = UInt8(truncatingIfNeeded: checksum >> (8 * UInt32(index))) }
      try transaction.put(bytes.span, forKey: 20, in: tables.entries)
    }
    let log = try place.open()
    let error = #expect(throws: AnnalsError.self) {
      try log.read { (snapshot) throws(AnnalsError) in try snapshot.all() }
    }
    #expect(error?.code == .formatVersion)
    let finding = try EventLog.verify(place.url).findings.first { $0.position == 20 }
    #expect(finding?.repair == .upgrade)
  }

  @Test(arguments: StoreTables.definitions.map(\.name))
  func `a missing table is damage to every opener`(table: String) async throws {
    let place = try TemporaryStore()
    do {
      let whole = try TemporaryStore()
      _ = try whole.open()
      try FileManager.default.copyItem(at: whole.url, to: place.url)
      let directory = try Directory.open(path: place.url.path)
      let locks = EnvironmentLocks(
        open: try FileLock("open.lock", in: directory), queue: try FileLock("queue.lock", in: directory),
        write: try FileLock("write.lock", in: directory))
      try directory.remove(Specimen.file)
      _ = try Environment.open(
        Specimen.file, in: directory, tables: StoreTables.definitions.filter { $0.name != table },
        locks: locks,
        options: EnvironmentOptions(create: true))
    }
    let refusals = try refusals(place)
    #expect(refusals.count == Opener.allCases.count)
    #expect(refusals.values.allSatisfy { $0.code == .damaged }, "\(refusals)")
  }

  @Test(arguments: [("meta", Finding.Repair.restore), ("kinds", .rebuild), ("schemas", .rebuild)])
  func `a damaged row that an open needs is a finding of verify`(table: String, repair: Finding.Repair)
    async throws
  {
    let place = try await specimen()
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      switch table {
      case "meta":
        let key = Array(StoreMeta.Name.epoch.rawValue.utf8)
        try transaction.put([0, 1, 2, 3, 4].span, forKey: key.span, in: tables.meta)
      case "kinds": try transaction.put([0, 1, 2, 3, 4].span, forKey: 1, in: tables.kinds)
      default: try transaction.put([0, 1, 2, 3, 4].span, forKey: 1, in: tables.schemas)
      }
    }
    let report = try EventLog.verify(place.url)
    #expect(report.findings.map(\.repair) == [repair])
    #expect(report.findings.first?.place.contains("table '\(table)'") == true)
    #expect(!report.isClean)
  }

  @Test func `a damaged row of a stream is one finding, to be built again`() async throws {
    let place = try TemporaryStore()
    let log = try place.open()
    try await log.append((1...5).map { try .placed($0, id: UUID()) }, to: "a")
    try craft(place.url) { (transaction, tables) throws(EnvironmentError) in
      try transaction.put([0, 1, 2, 3, 4].span, forKey: 1, in: tables.heads)
    }
    let report = try EventLog.verify(place.url)
    #expect(
      report.findings.filter { $0.place.contains("heads") && $0.problem.contains("checksum") }.count == 1)
    #expect(report.findings.allSatisfy { $0.repair == .rebuild })
  }
}
