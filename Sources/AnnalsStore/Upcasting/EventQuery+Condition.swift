internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

extension EventQuery {
  /// The condition that no event after `position` matches.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidName` for a tag that no event can have.
  func condition(after position: Position?, _ resolver: PlanResolver) throws(AnnalsError) -> AppendCondition {
    let tags = tags
    try tags.check()
    return AppendCondition(
      tags, after: position, EventCondition(query: self, strict: resolver.strict, resolver: resolver))
  }

  /// The query by the stored types that a plan can turn into the selected ones.
  ///
  /// Types of newer versions count as selected, because this program cannot know what becomes of them.
  fileprivate func shared(_ plan: CompiledPlan) -> SharedQuery {
    SharedQuery(
      items.map { item in
        var types: Set<SharedQuery.StoredType>?
        if let cases = item.cases {
          types = []
          for number in plan.sources(ofAny: cases) {
            let step = plan.steps[number]
            types?.insert(.init(name: ExactText(step.type), versions: .only(step.version)))
            if plan.adopted == step.version {
              types?.insert(.init(name: ExactText(step.type), versions: .none))
            }
          }
        }
        return SharedQuery.Item(types: types, newerThan: plan.current.version, tags: item.tags.sorted())
      })
  }
}

/// The query of a condition, and the plan that its events are compared by.
private struct EventCondition<Event: SchemaEvent>: ConditionForm {
  let query: EventQuery<Event>
  /// Throws for every entry that cannot be read.
  let strict: PlanResolver
  /// Says which of these entries the readers of the store skip.
  let resolver: PlanResolver

  var shared: SharedQuery { query.shared(resolver.plan) }

  func stored(_ kinds: KindRegistry) -> StoredQuery { query.stored(kinds, strict) }

  func comparison(_ kinds: KindRegistry, _ generation: Generation) -> (any ConditionComparison)? {
    EventComparison(
      query: query,
      upcaster: Upcaster(reach: strict, kinds: kinds, log: generation.current.log, generation: generation),
      readers: resolver)
  }
}

/// Compares the events of entries with the query of a condition, in one transaction.
private struct EventComparison<Event: SchemaEvent>: ConditionComparison {
  let query: EventQuery<Event>
  /// Throws for every entry that cannot be read.
  let upcaster: Upcaster
  /// Says which of these entries the readers of the store skip.
  let readers: PlanResolver
  private let buffer = TypedEventBuffer<Event>()

  init(query: EventQuery<Event>, upcaster: Upcaster, readers: PlanResolver) {
    self.query = query
    self.upcaster = upcaster
    self.readers = readers
  }

  func compare(
    _ entry: borrowing LentEntry, of stream: StreamName
  ) throws(AnnalsError) -> ConditionResult {
    buffer.keep(first: 0)
    do throws(AnnalsError) { try upcaster.upcast(entry, of: stream, into: buffer) } catch {
      // Nobody knows what a rule would have made of it.
      if readers.quarantine != nil, Quarantine.mayTake(error) { return .unreadable }
      // Only an item that names no type selects it, and that selects events of every type.
      if try isOfNewerType(entry) { return .matches }
      // Reads fail as well.
      throw error
    }
    return buffer.entries.contains { query.includes($0) } ? .matches : .differs
  }

  /// Whether readers of the store skip an entry because only newer versions have its type.
  private func isOfNewerType(_ entry: borrowing LentEntry) throws(AnnalsError) -> Bool {
    guard readers.skipping != nil else { return false }
    let kinds = upcaster.reading.kinds.kinds
    if entry.kind != 0 { return kinds[entry.kind].map { readers.passesOver($0) } ?? false }
    var isNewer = false
    try entry.eachPart { (kind, _, _) in
      if let known = kinds[kind], readers.passesOver(known) { isNewer = true }
    }
    return isNewer
  }
}
