public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog
internal import AnnalsMigration
public import AnnalsSchema
internal import AnnalsShapes
public import AnnalsStore

extension EventLog {
  /// Explains the entry at `position`: its stored form, the result of each stage of `plan`, and its current
  /// events.
  ///
  /// Every step uses the same code as reads of a store, with the plan cut off after each of its versions in
  /// turn. The plan need not be able to read the rest of the log. A step that fails is part of the
  /// explanation.
  ///
  /// - Parameters:
  ///   - position: The entry's position in the log.
  ///   - plan: The plan.
  /// - Throws: ``AnnalsError`` with code `wrongUse` if the log has no such position, `invalidPlan` for an
  ///   inconsistent plan, `damaged` for an entry that is damaged.
  /// - Complexity: O(versions²), and the time of the rules for this entry.
  public func explain<Plan: SchemaMigrationPlan>(
    _ position: Position, plan: Plan.Type
  ) throws(AnnalsError) -> EntryExplanation {
    let cuts = try cuts(of: plan, passingOverNewer: true)
    let whole = try CompiledPlan(plan, StageContexts(keys: options.keys))
    let explaining = EntryExplaining(
      cuts: cuts, outline: Plan.stages.outline, adopted: Plan.unversioned.version,
      retags: try RetagPreview(whole, Activation(self, whole).contexts()))
    return try read { (snapshot) throws(AnnalsError) in try explaining.run(position, snapshot) }
  }
}

extension EventStore {
  /// Explains the entry at `position`: its stored form, the result of each stage of the plan, and its current
  /// events. See ``EventLog/explain(_:plan:)``.
  public func explain(_ position: Position) throws(AnnalsError) -> EntryExplanation {
    try log.explain(position, plan: Plan.self)
  }
}

/// Computes explanations of entries.
struct EntryExplaining {
  /// The plan after each of its versions, oldest first.
  let cuts: [PlanCut]
  /// What the plan is made of.
  let outline: ChainOutline
  /// The version that entries without one are taken for.
  let adopted: SchemaVersion?
  /// The tags that entries get in a pass; `nil` for a plan whose stages compute none again.
  let retags: RetagPreview?

  /// Explains the entry at `position`.
  func run(
    _ position: Position, _ snapshot: borrowing LogSnapshot
  ) throws(AnnalsError) -> EntryExplanation {
    let reader = snapshot.reader
    let last = try reader.last()
    guard (1...max(last, 1)).contains(position.rawValue), last > 0 else {
      throw AnnalsError(
        .wrongUse,
        last == 0
          ? "there is no position \(position): the log is empty"
          : "there is no position \(position): the log has the positions 1 to \(last)",
        details: AnnalsError.Details { $0.position = position })
    }
    let entry = try reader.lend(try reader.bytes(at: position), at: position)
    let stream = try reader.name(of: entry.stream)
    let stored = try EntryReading(kinds: snapshot.kinds).entry(entry, stream, reader)
    let kinds = try Self.kinds(of: entry, in: snapshot.kinds)
    var removal: EntryExplanation.Removal?
    if case .stub(let stub) = try Self.body(of: entry) {
      removal = .init(cause: stub.cause.name, from: stub.from, to: stub.to, reason: stub.reason)
      removal?.author = stub.system?.author
    } else if let mark = try Self.mark(of: entry) {
      removal = .init(cause: RemovalCause.quarantined.name, from: mark.from, to: mark.to, reason: mark.cause)
    }
    var reached: (version: SchemaVersion, events: [EntryExplanation.Event])?
    var steps: [EntryExplanation.Step] = []
    var failure: AnnalsError?
    if removal == nil, let start = start(of: kinds) {
      var events: [EntryExplanation.Event] = []
      for index in start..<cuts.count {
        let crossings = index > start ? crossings(of: events, at: index - 1) : []
        do throws(AnnalsError) {
          events = try cuts[index].events(snapshot, entry, stream).map {
            .init(path: $0.path, type: $0.type, data: $0.payload, fields: fields(of: $0.type, at: index))
          }
        } catch {
          failure = error
          events = []
        }
        if index == start {
          reached = (cuts[index].version, events)
        } else {
          steps.append(
            .init(
              from: cuts[index - 1].version, to: cuts[index].version, crossings: crossings, events: events))
        }
        if failure != nil { break }
      }
    }
    var retagged: Result<[EventTag], AnnalsError>?
    if removal == nil, failure == nil, let retags {
      do throws(AnnalsError) {
        retagged = try retags.tags(of: entry, in: snapshot).map { .success($0) }
      } catch {
        retagged = .failure(error)
      }
    }
    return EntryExplanation(
      entry: stored, size: entry.bytes.count, kinds: kinds, tags: try Self.tags(of: entry),
      retagged: retagged, removal: removal,
      version: reached?.version,
      events: reached?.events ?? [], steps: steps, failure: failure)
  }

  /// The fields of the record called `type` in the version numbered `index`.
  private func fields(of type: String, at index: Int) -> [FieldShape]? {
    let schema = outline.schemas[index]
    return schema.index(of: ExactText(type)).flatMap { schema.records[$0].shape?.shape.fields }
  }

  /// Which cut is the first that has to do with payloads of `kinds`.
  private func start(of kinds: [EntryExplanation.Kind]) -> Int? {
    guard !cuts.isEmpty else { return nil }
    // What has no version, and is not taken for one, fails at every version alike.
    let oldest = kinds.compactMap { $0.version ?? adopted }.min()
    return oldest.flatMap { oldest in cuts.firstIndex { $0.version >= oldest } } ?? cuts.count - 1
  }

  /// What takes `events` across the stage numbered `index`.
  private func crossings(
    of events: [EntryExplanation.Event], at index: Int
  ) -> [EntryExplanation.Crossing] {
    let stage = PlanCheck.Stage(outline, at: index, reuses: [])
    let older = outline.schemas[index]
    return events.compactMap { event in
      guard let record = older.index(of: ExactText(event.type)), stage.records.indices.contains(record) else {
        return nil
      }
      return .init(path: event.path, fate: stage.records[record])
    }
  }

  /// What follows the header of an entry.
  private static func body(of entry: borrowing LentEntry) throws(AnnalsError) -> EntryBody {
    do { return try EntryBody(entry.bytes, header: entry.header) } catch {
      throw AnnalsError(error, place: "position \(entry.position)", position: entry.position)
    }
  }

  /// Why a migration pass has set an entry aside, if one has.
  private static func mark(of entry: borrowing LentEntry) throws(AnnalsError) -> QuarantineMark? {
    do throws(FormatFailure) {
      guard let mark = try EntryExtensions(entry.bytes, entry.header)[QuarantineMark.key] else { return nil }
      return try QuarantineMark(mark.span)
    } catch {
      throw AnnalsError(error, place: "position \(entry.position)", position: entry.position)
    }
  }

  /// The kinds of an entry's payloads, each once; none for a system entry.
  private static func kinds(
    of entry: borrowing LentEntry, in registry: KindRegistry
  ) throws(AnnalsError) -> [EntryExplanation.Kind] {
    if entry.header.isSystem { return [] }
    var numbers = [entry.kind]
    if case .parts(let parts) = try body(of: entry) { numbers = parts.map(\.kind) }
    var kinds: [EntryExplanation.Kind] = []
    for number in Set(numbers) {
      let kind = try EntryReading(kinds: registry).kind(number, at: entry.position)
      kinds.append(
        .init(
          number: number, type: kind.row.name, version: kind.version, shape: kind.shape?.text,
          fields: kind.shape?.shape.stored.fields))
    }
    return kinds.sorted { $0.number < $1.number }
  }
}
