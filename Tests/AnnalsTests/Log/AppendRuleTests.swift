import LMDB
import Synchronization
import Testing

@testable import Annals
@testable import AnnalsCoding
@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsProjections
@testable import AnnalsSchema
@testable import AnnalsShapes
@testable import AnnalsStore

/// A rule that counts its calls, refuses some, and begins a phase.
private final class CountingRule: AppendRule {
  let admitted = Mutex(0)
  let applied = Mutex(0)
  let asked = Mutex<[String]>([])
  /// The type that no call may have, at all or when the rule is applied.
  let refused: (admit: String?, apply: String?)
  let phases: [PhaseChange]
  /// The rule that this one is.
  let own: RuleRow?

  init(
    refusingToAdmit admit: String? = nil, toApply apply: String? = nil, phases: [PhaseChange] = [],
    own: RuleRow? = nil
  ) {
    refused = (admit, apply)
    self.phases = phases
    self.own = own
  }

  func admit(_ call: AppendRequest, to group: AppendGroup) throws(AnnalsError) -> [PhaseChange] {
    admitted.withLock { $0 += 1 }
    if call.records.contains(where: { $0.type.text == refused.admit }) {
      throw AnnalsError(.rejected, "not admitted")
    }
    return phases
  }

  func apply(
    _ call: AppendRequest, to group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> AnnalsError? {
    applied.withLock { $0 += 1 }
    return call.records.contains { $0.type.text == refused.apply }
      ? AnnalsError(.rejected, "not applied") : nil
  }

  func satisfies(_ row: RuleRow) -> Bool { row == own }

  func oldestReader(of name: ExactText, version: SchemaVersion?, shape: StoredShape?) -> SchemaVersion? {
    asked.withLock { $0.append(name.text) }
    return nil
  }
}

struct AppendRuleTests {
  private func call(_ type: String, _ count: Int = 1, _ rules: [any AppendRule]) -> AppendRequest {
    var call = AppendRequest(time: 0)
    call.add("a", expecting: .any)
    for _ in 0..<count {
      call.add(
        .init(record: RecordKind(type: ExactText(type), version: SchemaVersion(2, 0, 0)), payload: [0xa0]))
    }
    call.rules = rules
    return call
  }

  private func code(_ log: EventLog, _ call: AppendRequest) async -> AnnalsError.Code? {
    do throws(AnnalsError) { _ = try await log.append(call) } catch { return error.code }
    return nil
  }

  @Test func `A rule is asked once for a call, regardless of the number of events`() async throws {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let log = try place.open()
    let rule = CountingRule()
    _ = try await log.append(call("Placed", 1_000, [rule, rule]))
    #expect(rule.admitted.withLock { $0 } == 2 && rule.applied.withLock { $0 } == 2)
    // A new type is asked about once for each rule.
    #expect(rule.asked.withLock { $0 } == ["Placed", "Placed"])
    _ = try await log.append(call("Placed", 1_000, [rule]))
    #expect(rule.asked.withLock { $0.count } == 2)
    #expect(try log.info().entries == 2_000)
  }

  @Test func `A call that a rule refuses leaves nothing, and other calls of its group are stored`()
    async throws
  {
    let place = try TemporaryStore()
    let log = try place.open()
    let phase = PhaseChange(version: SchemaVersion(2, 0, 0), phase: .active, stability: .released)
    let rule = CountingRule(refusingToAdmit: "Lost", toApply: "Late", phases: [phase])
    for type in ["Lost", "Late"] {
      #expect(await code(log, call(type, 1, [rule])) == .rejected)
      let versions = try log.read { (snapshot) in snapshot.kinds.schemas.count }
      #expect(try log.info().entries == 0 && versions == 0)
    }
    let codes = await withTaskGroup(of: AnnalsError.Code?.self) { group in
      for number in 0..<60 {
        group.addTask { await code(log, call(["Lost", "Late", "Placed"][number % 3], 1, [rule])) }
      }
      return await group.reduce(into: [AnnalsError.Code?]()) { $0.append($1) }
    }
    #expect(codes.count { $0 == .rejected } == 40 && codes.count { $0 == nil } == 20)
    #expect(try log.info().entries == 20)
    let row = try log.read { (snapshot) in snapshot.kinds.row(of: SchemaVersion(2, 0, 0)) }
    #expect(row?.phase == .active)
    #expect(try EventLog.verify(place.url).isClean)
  }

  @Test func `A call is admitted before its records are compared with the store`() async throws {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let log = try place.open()
    let phase = PhaseChange(version: SchemaVersion(3, 0, 0), phase: .active, stability: .released)
    _ = try await log.append(call("Placed", 1, [CountingRule(phases: [phase])]))
    #expect(await code(log, call("Placed", 1, [CountingRule()])) == .superseded)
    #expect(await code(log, call("Placed", 1, [CountingRule(refusingToAdmit: "Placed")])) == .rejected)
  }

  @Test func `A call without a rule that the store demands is refused`() async throws {
    let place = try TemporaryStore()
    defer { withExtendedLifetime(place) {} }
    let log = try place.open()
    try log.core.generation.create(later: StoreTables.inline, within: .seconds(10))
    var row = RuleRow(number: 1, version: 3, name: "limits", text: "x")
    row.state = .live
    _ = try ActivationWrite(log).run { (transaction, tables, _) throws(AnnalsError) in
      try transaction.require(.inline, tables)
      try transaction.put(row, in: tables.meta)
      return true
    }
    let untyped = await #expect(throws: AnnalsError.self) { try await log.append(call("Placed", 1, [])) }
    #expect(untyped?.code == .needsPlan && untyped?.message.contains("'limits'") == true)
    let typed = await #expect(throws: AnnalsError.self) {
      try await log.append(call("Placed", 1, [CountingRule()]))
    }
    #expect(typed?.code == .superseded)
    #expect(typed?.message.contains("version 3 of the inline projection 'limits'") == true)
    #expect(await code(log, call("Placed", 1, [CountingRule(), CountingRule(own: row)])) == nil)
    #expect(try log.info().entries == 1)
  }
}
