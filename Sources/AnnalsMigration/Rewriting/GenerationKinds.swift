internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore
import Synchronization

/// Which kinds the generation has that a pass builds, and what becomes of the older generation's kinds in it.
///
/// Shared by all threads of a pass. The older generation may get more kinds meanwhile.
final class GenerationKinds: Sendable {
  private struct State: Sendable {
    var numbers: KindNumbers
    var source: KindRegistry
    var table: FateTable
  }

  /// The plan; `nil` if the pass only copies.
  let reach: PlanResolver?
  private let state: Mutex<State>

  /// The kinds of a new generation.
  ///
  /// - Parameters:
  ///   - source: What the older generation knows.
  ///   - reach: The plan, and where kinds enter it; `nil` if the pass only copies.
  ///   - target: What the new generation has already, from a pass that was interrupted.
  /// - Throws: ``AnnalsError`` with code `shapeChanged`, `superseded` or `tooLarge` if the plan's current
  ///   records could not be appended to the older generation either.
  init(
    _ source: KindRegistry, reach: PlanResolver?, target: KindRegistry = KindRegistry()
  ) throws(AnnalsError) {
    self.reach = reach
    var numbers = KindNumbers(target)
    if let reach {
      if let refusal = source.refusal(of: reach.plan.written) { throw refusal }
      do throws(KindRegistry.Refusal) {
        try numbers.adopt(source)
        for record in reach.plan.written { try numbers.add(KindNumbers.Key(record)) }
      } catch {
        throw Self.exhausted
      }
    }
    let table = Self.table(source, reach, numbers)
    state = Mutex(State(numbers: numbers, source: source, table: table))
  }

  /// What becomes of the kinds that a snapshot of the older generation has.
  func table(for source: KindRegistry) throws(AnnalsError) -> FateTable {
    try state.withLock { (state) throws(AnnalsError) in
      // Kinds only become more, and a version may be activated or released.
      if source.kinds.count <= state.source.kinds.count, source.epoch <= state.source.epoch {
        return state.table
      }
      if reach != nil {
        do throws(KindRegistry.Refusal) { try state.numbers.adopt(source) } catch { throw Self.exhausted }
      }
      state.source = source
      state.table = Self.table(source, reach, state.numbers)
      return state.table
    }
  }

  /// The rows of a kind of the new generation whose first entry is at `first`; `nil` for a number that is no
  /// kind's.
  func rows(of kind: UInt32, first: Position) -> EntryRows.New? {
    state.withLock { state in
      guard reach != nil else {
        guard let known = state.source.kinds[kind], let schema = state.source.schemas[known.row.ordinal]
        else { return nil }
        var row = known.row
        row.first = first
        return EntryRows.New(kind: kind, kindRow: row, schemaRow: schema)
      }
      guard let key = state.numbers.keys[kind] else { return nil }
      let row = KindRow(
        ordinal: state.numbers.ordinal(of: key.version), name: key.name.text,
        shape: key.shape.map(\.row) ?? .undeclared, first: first,
        oldestReader: Self.oldestReader(key, state.source, reach))
      return EntryRows.New(
        kind: kind, kindRow: row, schemaRow: Self.schemaRow(key.version, state.source, reach))
    }
  }

  /// The rows of `schemas` that the new generation has regardless of its entries: of versions of which
  /// something was computed from the whole log.
  func activatedSchemas() -> [(ordinal: UInt16, row: SchemaRow)] {
    state.withLock { state in
      var moved: [(ordinal: UInt16, row: SchemaRow)] = []
      if let plan = reach?.plan, plan.passesStreams, !plan.written.isEmpty {
        let version = plan.current.version
        moved.append((state.numbers.ordinal(of: version), Self.schemaRow(version, state.source, reach)))
      }
      return moved
        + state.source.schemas.sorted { $0.key < $1.key }.filter { $0.value.phase != .present }.map {
          ordinal, row in
          (
            reach == nil ? ordinal : state.numbers.ordinal(of: row.version),
            Self.schemaRow(row.version, state.source, reach)
          )
        }
    }
  }

  /// Whether the pass only copies, so that an entry's rows stay as they are.
  var isCopy: Bool { reach == nil }
}

extension GenerationKinds {
  private static var exhausted: AnnalsError {
    AnnalsError(.tooLarge, "the store has used up its numbers for schema versions or record types")
  }

  /// The row of a version in the new generation.
  private static func schemaRow(
    _ version: SchemaVersion?, _ source: KindRegistry, _ reach: PlanResolver?
  ) -> SchemaRow {
    let known = source.schemas.values.first { $0.version == version }
    guard let reach, version == reach.plan.current.version else {
      return known ?? SchemaRow(version: version)
    }
    let stability = reach.plan.current.stability
    var row = known ?? SchemaRow(version: version, stability: SchemaRow.Stability(stability))
    if row.stability == .draft { row.stability = SchemaRow.Stability(stability) }
    // What drafts of the version have stored is stored as the release has it from here on.
    if row.stability != .draft { row.release = 0 }
    // Entries of an older version would come to streams that are gone.
    if reach.plan.passesStreams { row.phase = .active }
    return row
  }

  /// The oldest version whose programs read entries of a kind in the new generation; `nil` if nothing says.
  private static func oldestReader(
    _ key: KindNumbers.Key, _ source: KindRegistry, _ reach: PlanResolver?
  ) -> SchemaVersion? {
    let number = source.kind(version: key.version, name: key.name, shape: key.shape)
    if let row = number.flatMap({ source.kinds[$0]?.row }), let known = row.oldestReader,
      source.schemas[row.ordinal]?.isDraft(row) != true
    {
      return known
    }
    return reach?.readers.oldest(of: key.name, version: key.version, shape: key.shape)
  }

  private static func table(
    _ source: KindRegistry, _ reach: PlanResolver?, _ numbers: KindNumbers
  ) -> FateTable {
    guard let reach else {
      return FateTable(
        source.kinds.values.map {
          KindFate(
            kind: $0, number: $0.number, stub: $0.number, payload: .carried($0.number), entrance: nil,
            mayBeSetAside: false)
        }, written: [])
    }
    let plan = reach.plan
    let written = plan.written.map { numbers[KindNumbers.Key($0)] ?? 0 }
    let fates = source.kinds.values.map { kind in
      let record = source.recordKind(kind)
      let number = numbers[KindNumbers.Key(record)] ?? 0
      let row = schemaRow(kind.version, source, reach)
      let isOldDraft = record.stability == .draft && row.stability != .draft
      // A draft's shape in a released version would forbid the release its own; a stub has nothing of that
      // shape.
      let sameName = plan.written.firstIndex { $0.type == record.type && $0.version == record.version }
      let stub = isOldDraft ? sameName.map { written[$0] } ?? number : number
      var payload: KindFate.Payload
      var isRetained = false
      var entered: CompiledPlan.Entrance?
      do throws(MissingStep) {
        let entrance = try reach.entrance(of: kind, in: source)
        if entrance.isNewer { throw .newerVersion(record, current: plan.current.version) }
        entered = entrance
        isRetained = plan.steps[entrance.step].retainedBy != nil
        // A retained record keeps its kind, also that of a draft: its version is below the one that is
        // written.
        payload =
          isRetained
          ? .carried(number)
          : plan.carried(record, from: entrance).map { .carried(written[$0]) } ?? .upcast(entrance)
      } catch {
        payload = .unreadable(error)
      }
      return KindFate(
        kind: kind, number: number, stub: stub, payload: payload, entrance: entered,
        mayBeSetAside: !isOldDraft || isRetained,
        mayLoseFields: entered.map { plan.mayLoseFields(record, from: $0) } ?? false,
        isRetained: isRetained,
        removals: isRetained ? nil : entered.flatMap { plan.removals(record, from: $0) })
    }
    return FateTable(fates, written: written)
  }
}

extension KindNumbers.Key {
  init(_ record: RecordKind) {
    self.init(version: record.version, name: record.type, shape: record.shape)
  }
}
