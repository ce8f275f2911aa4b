import AnnalsTestSupport
import Foundation
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsFormat
@testable import AnnalsKeys
@testable import AnnalsLog
@testable import AnnalsShapes
@testable import AnnalsStore
import LMDB

/// Removals of keys that the log takes no record of.
@Suite struct RefusedRecordTests {
  private let customers: Customers

  init() throws {
    customers = try Customers()
  }

  @Test func `while a switch is held, forget drops no key`() async throws {
    let store = try customers.store()
    try await customers.fill(store)
    var options = MigrationOptions()
    options.isHolding = true
    _ = try await store.log.compact(options).report()
    let error = #expect(throws: AnnalsError.self) { try store.forget("c1", by: "jane", because: "4711") }
    #expect(error?.code == .appendsSuspended)
    #expect(error?.message.hasPrefix("no key was dropped now: ") == true)
    #expect(try Customers.names(store) == [Customers.secret, "Ann"])
    #expect(try store.log.erasures().isEmpty)

    _ = try EventLog.rollback(customers.url)
    #expect(try Customers.names(store) == [Customers.secret, "Ann"])
    let report = try store.forget("c1", by: "jane", because: "4711")
    #expect(report.hadKeys == true)
    #expect(try Customers.names(store) == ["nobody", "Ann"])
  }

  @Test func `a record that fails after the drop is not reported as if the keys were there`() async throws {
    try await customers.fill(customers.store())
    var options = StoreOptions()
    let keys = InterferingKeys()
    options.keys = keys
    let store = try EventStore(at: customers.url, plan: CustomerPlan.self, options: options)
    let log = store.log
    keys.afterDrop = { #expect(throws: Never.self) { try Self.put(.appendsSuspended, log) } }
    let error = #expect(throws: AnnalsError.self) { try store.forget("c1", by: "jane", because: "4711") }
    keys.afterDrop = nil
    #expect(error?.code == .appendsSuspended)
    #expect(error?.message.hasPrefix("the keys are dropped, but the log does not record it yet") == true)
    #expect(try Customers.names(store) == ["nobody", "Ann"])

    try Self.put(.live, store.log)
    #expect(try store.forget("c1", by: "jane", because: "4711").recorded.count == 2)
    #expect(try store.log.erasures().count == 2)
  }

  /// Changes the state of the generation in use, as a switch does.
  private static func put(_ state: StoreMeta.State, _ log: EventLog) throws {
    let generation = log.core.generation
    var meta = generation.meta
    meta.state = state
    let turn = try generation.environment.turn(within: .seconds(9))
    var transaction = try generation.environment.write(turn, .full)
    try transaction.put(meta.value(of: .state), StoreMeta.Name.state.rawValue, in: generation.tables.meta)
    try transaction.commit()
  }
}

/// Keys with something that happens between a drop and its record.
private final class InterferingKeys: PersonalDataKeys {
  private let keys = SubjectKeys()
  private let interference = Mutex<(@Sendable () -> Void)?>(nil)

  var afterDrop: (@Sendable () -> Void)? {
    get { interference.withLock { $0 } }
    set { interference.withLock { $0 = newValue } }
  }

  func attach(
    toStoreAt url: URL, log: UUID, hasPersonalData: Bool, isReadOnly: Bool
  ) throws(AnnalsError) {
    try keys.attach(toStoreAt: url, log: log, hasPersonalData: hasPersonalData, isReadOnly: isReadOnly)
  }

  func drop(_ subject: String, recording drop: KeyDrop) throws(AnnalsError) -> Bool {
    defer { afterDrop?() }
    return try keys.drop(subject, recording: drop)
  }

  func unrecordedDrops() throws(AnnalsError) -> [KeyDrop] { try keys.unrecordedDrops() }

  func noteRecorded(_ drops: [KeyDrop], newest: KeyDrop) throws(AnnalsError) {
    try keys.noteRecorded(drops, newest: newest)
  }

  func newestRecordedDrop() throws(AnnalsError) -> KeyDrop? { try keys.newestRecordedDrop() }

  func seal(
    _ value: [UInt8], of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> SealedValue? { try keys.seal(value, of: subject, in: context) }

  func open(
    _ value: SealedValue, of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> OpenedValue { try keys.open(value, of: subject, in: context) }

  func hasDropped(_ subject: String) throws(AnnalsError) -> Bool { try keys.hasDropped(subject) }

  func renew(
    _ value: SealedValue, of subject: String, in context: [UInt8]
  ) throws(AnnalsError) -> SealedValue? { try keys.renew(value, of: subject, in: context) }
}
