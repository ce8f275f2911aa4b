public import AnnalsCoding
package import AnnalsFormat
internal import AnnalsLog
public import AnnalsSchema

/// A selection of events by type and tag, for reads, conditional appends, projections and subscriptions.
///
/// ```swift
/// static var events: EventQuery<Event> { [\.fileChanged, \.commitMade] }         // any of these types
/// let seats = EventQuery<Event>([\.enrolled, \.left], tags: ["course:c1"])       // and this tag
/// let query = EventQuery<Event>(items: [.init(tags: ["course:c1"]), .init(tags: ["student:s7"])])
/// ```
///
/// An event matches if any item matches it. An item matches an event that is of any of its types and has all
/// of its tags. The types are those of the plan's current version; entries of older versions are included if
/// a rule can turn them into one of these. The tags are those that were stored with the entry; upcasting
/// never changes them.
public struct EventQuery<Event: SchemaEvent>: Sendable, ExpressibleByArrayLiteral {
  /// One alternative of a query.
  public struct Item: Sendable {
    /// The numbers of the selected cases; `nil` for all.
    package let cases: Set<Int>?
    /// The tags that an event must have, all of them.
    package let tags: Set<EventTag>

    /// Creates an item.
    ///
    /// - Parameters:
    ///   - types: The key paths of the cases to select; empty for every type.
    ///   - tags: The tags that an event must have, all of them; empty for none.
    /// - Precondition: Each key path leads to a case of the schema.
    public init(_ types: [PartialKeyPath<Event.Cases>] = [], tags: Set<EventTag> = []) {
      self.init(cases: types.isEmpty ? nil : EventQuery.cases(types), tags: tags)
    }

    init(cases: Set<Int>?, tags: Set<EventTag>) {
      self.cases = cases
      self.tags = tags
    }

    fileprivate func includes(_ entry: borrowing Entry<Event>) -> Bool {
      if let cases, !cases.contains(entry.event.caseIndex) { return false }
      // An event has few tags, which are not worth a set.
      for tag in tags {
        if !entry.tags.contains(tag) { return false }
      }
      return true
    }
  }

  /// The alternatives; a query without any matches nothing.
  package let items: [Item]
  /// The numbers of the cases that any item selects; `nil` for all.
  package let cases: Set<Int>?
  /// The selected cases of a query without tags; `nil` if tags must be compared.
  private let flags: CaseFlags?
  /// Whether any item has tags.
  package let hasTags: Bool
  private let index: ItemIndex

  /// Creates a query of these alternatives.
  public init(items: [Item]) {
    self.items = items
    hasTags = items.contains { !$0.tags.isEmpty }
    let isAny = items.contains { $0.cases == nil }
    cases = isAny ? nil : items.reduce(into: []) { $0.formUnion($1.cases ?? []) }
    flags = hasTags ? nil : CaseFlags(cases)
    index = ItemIndex(hasTags ? items.count : 0) { items[$0].tags }
  }

  /// Creates a query of one item.
  ///
  /// - Parameters:
  ///   - types: The key paths of the cases to select; empty for every type.
  ///   - tags: The tags that an event must have, all of them; empty for none.
  /// - Precondition: Each key path leads to a case of the schema.
  public init(_ types: [PartialKeyPath<Event.Cases>] = [], tags: Set<EventTag> = []) {
    self.init(items: [Item(types, tags: tags)])
  }

  /// Creates a query of the cases at these key paths. Without key paths, it selects nothing.
  ///
  /// - Precondition: Each key path leads to a case of the schema.
  public init(arrayLiteral paths: PartialKeyPath<Event.Cases>...) {
    self.init(items: paths.isEmpty ? [] : [Item(paths)])
  }

  /// Every event.
  public static var all: EventQuery { EventQuery(items: [Item()]) }

  /// Returns the query that an event matches if it matches any of `queries`.
  public static func any(of queries: [EventQuery]) -> EventQuery {
    EventQuery(items: queries.flatMap(\.items))
  }

  private static func cases(_ paths: [PartialKeyPath<Event.Cases>]) -> Set<Int> {
    Set(
      paths.map { path in
        guard let found = Event.cases[keyPath: path] as? any NumberedCase else {
          preconditionFailure("\(path) leads to no case of the schema")
        }
        return found.index
      })
  }

  /// Whether the event of an entry matches.
  package func includes(_ entry: borrowing Entry<Event>) -> Bool {
    if let flags { return flags.areAll ? true : flags.include(entry.event.caseIndex) }
    guard index.isUsed else {
      for item in items {
        if item.includes(entry) { return true }
      }
      return false
    }
    for number in index.candidates(for: entry.tags) {
      if items[number].includes(entry) { return true }
    }
    return false
  }

  /// Returns a text that is the same for queries with the same types and tags; `nil` for one without tags.
  ///
  /// - Parameter name: Returns the name of a case's record. Numbers of cases differ between releases.
  package func tagText(naming name: (Int) -> String) -> String? {
    guard hasTags else { return nil }
    return items.map { item in
      let cases = item.cases.map { $0.map(name).sorted().joined(separator: ",") } ?? "*"
      return ([cases] + item.tags.sorted().map(\.text)).joined(separator: "\u{0}")
    }.sorted().joined(separator: "\u{0}\u{0}")
  }
}

/// Whether each case of an event is selected, by its number.
///
/// Every event is looked up here. A set would cost several times as much, and so would anything whose type
/// depends on the event's.
private struct CaseFlags: Sendable {
  /// Whether every case is selected.
  let areAll: Bool
  private let flags: [Bool]

  /// Creates the flags of some cases; `nil` for all.
  init(_ cases: Set<Int>?) {
    areAll = cases == nil
    flags = cases.map { cases in (0..<((cases.max() ?? -1) + 1)).map { cases.contains($0) } } ?? []
  }

  func include(_ index: Int) -> Bool { index < flags.count && flags[index] }
}

extension EventQuery {
  /// The query as the log answers it, by the kinds that a plan can turn into the selected cases.
  ///
  /// It may match entries whose events do not match. Readers compare these themselves.
  func stored(_ kinds: KindRegistry, _ resolver: PlanResolver) -> StoredQuery {
    StoredQuery(
      items.map { item in
        let wanted = item.cases.map { cases in
          resolver.wanted(cases.reduce(into: []) { $0.formUnion(resolver.plan.sources(of: $1)) }, in: kinds)
        }
        return StoredQuery.Item(kinds: wanted, tags: item.tags.sorted())
      })
  }

  /// The tags of all items.
  var tags: QueryTags {
    var tags = QueryTags()
    for item in items { tags.add(item.tags) }
    return tags
  }

  /// The source of a read; `nil` if the read passes all entries, and their kinds are chosen elsewhere.
  package func sourceByTags(_ resolver: PlanResolver) -> QuerySource? {
    hasTags ? QuerySource(tags, EventSelection(query: self, resolver: resolver)) : nil
  }
}

/// The query of a read, and the plan that its events are read by.
private struct EventSelection<Event: SchemaEvent>: QueryForm {
  let query: EventQuery<Event>
  let resolver: PlanResolver

  func stored(_ kinds: KindRegistry) -> StoredQuery { query.stored(kinds, resolver) }
}

extension EventQuery {
  /// Returns the steps of a plan whose entries can become selected events; `nil` for all.
  package func steps(in plan: CompiledPlan) -> Set<Int>? {
    cases.map { cases in cases.reduce(into: []) { $0.formUnion(plan.sources(of: $1)) } }
  }
}

extension PlanResolver {
  /// The kinds whose entries begin at any of these steps of the plan.
  ///
  /// An entry that does not enter the plan is read, so that the reader gets the reason, or counts it.
  func wanted(_ steps: Set<Int>, in kinds: KindRegistry) -> WantedKinds {
    let table = table(for: kinds)
    return WantedKinds(count: kinds.kinds.keys.max()) { number in
      if Int(number) < table.count, let entrance = table[Int(number)] { return steps.contains(entrance.step) }
      guard let kind = kinds.kinds[number] else { return skipping != nil }
      return skipping != nil || !isPassable(kind)
    }
  }
}
