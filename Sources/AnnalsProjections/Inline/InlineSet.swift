package import AnnalsFormat
internal import AnnalsLog
package import AnnalsCoding
package import AnnalsSchema
internal import AnnalsStore

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The inline projections that a store was opened with, without the type of its events.
package struct InlineSet: Sendable {
  /// The projections, in the order of the call.
  package let members: [Member]
  /// The plan for folding, in which no entry is skipped.
  let reach: PlanResolver
  /// The log's id.
  let log: UUID
  /// An id that distinguishes sets.
  let id: UUID
  /// Makes a context to fold in, for one thread.
  private let makeRoom: @Sendable (InlineSet) -> InlineContext

  /// One inline projection of the set.
  package struct Member: Sendable {
    let outline: ProjectionOutline
    /// The stored types that never reach it.
    let sources: ProjectionSources
    /// The callback for erased events; `nil` if it is folded again.
    let eraser: RowEraser?
    /// Whether an activation retires it, or has retired it.
    let isRetiring: Bool

    /// The version as the machines of a cluster name it.
    var named: RuleVersion { RuleVersion(name: outline.name, version: UInt64(outline.version)) }

    /// Whether a row of `meta` belongs to the same projection, in any version.
    func isNamed(by row: RuleRow) -> Bool { ExactText(row.name) == ExactText(outline.name) }
  }

  /// Creates the set of some projections.
  ///
  /// - Parameter retiring: The versions that an activation in a cluster retires. They are lower than those of
  ///   the same name that replace them.
  /// - Returns: `nil` for none.
  /// - Throws: ``AnnalsError`` with code `invalidPlan` if a projection is inconsistent, or two have one name.
  package init?<Event: SchemaEvent>(
    _ projections: [any InlineProjection<Event>.Type],
    retiring: [any InlineProjection<Event>.Type] = [], _ plan: CompiledPlan, log: UUID
  ) throws(AnnalsError) {
    guard !projections.isEmpty || !retiring.isEmpty else { return nil }
    var members: [Member] = []
    var folds: [InlineFold<Event>] = []
    for (index, projection) in (projections + retiring).enumerated() {
      let fold = try InlineFold<Event>.of(projection)
      let isRetiring = index >= projections.count
      try Self.check(fold.outline, isRetiring: isRetiring, after: members)
      let sources = ProjectionSources(plan, cases: fold.selection.cases)
      members.append(
        Member(outline: fold.outline, sources: sources, eraser: fold.eraser, isRetiring: isRetiring))
      folds.append(fold)
    }
    self.members = members
    self.log = log
    reach = PlanResolver(plan)
    id = UUID.random()
    makeRoom = { [folds] set in InlineFoldContext(set, folds) }
  }

  /// Throws if a projection cannot be in one set with others.
  private static func check(
    _ outline: ProjectionOutline, isRetiring: Bool, after members: [Member]
  ) throws(AnnalsError) {
    for other in members where ExactText(other.outline.name) == ExactText(outline.name) {
      guard isRetiring else {
        throw AnnalsError(
          .invalidPlan,
          "two inline projections are called '\(outline.name)': give one another name, or open the store with one of them"
        )
      }
      let isEarlier = other.isRetiring || outline.version < other.outline.version
      guard isEarlier, outline.version != other.outline.version else {
        throw AnnalsError(
          .invalidPlan,
          "version \(outline.version) of the inline projection '\(outline.name)' retires for version \(other.outline.version): give the newer one a higher version"
        )
      }
    }
  }

  /// Makes a context to fold in, for one thread.
  package func room() -> InlineContext { makeRoom(self) }

  /// Returns the index of the row of a member that is in force in this version; `nil` if there is none.
  package func row(of index: Int, inForceIn rows: [RuleRow]) -> Int? {
    let member = members[index]
    return rows.firstIndex { row in
      row.isInForce && row.version == member.outline.version && member.isNamed(by: row)
    }
  }

  /// Returns the error for work that needs the version in force of a projection, if the set has a later one;
  /// `nil` for any other row.
  package func mustReplace(_ row: RuleRow) -> AnnalsError? {
    guard row.isInForce, !knows(row), let member = members.first(where: { $0.isNamed(by: row) }),
      member.outline.version > row.version
    else { return nil }
    return AnnalsError(
      .requiresActivation,
      "version \(row.version) of the inline projection '\(row.name)' is in force, and this program has version \(member.outline.version): run 'activate' with it, or open the store once with 'activating', which folds the log and shuts out programs of version \(row.version)"
    )
  }

  /// Whether a version of a projection is in the set.
  package func knows(_ row: RuleRow) -> Bool {
    members.contains { $0.isNamed(by: row) && $0.outline.version == row.version }
  }
}

/// The fold of one inline projection, with the type of its events.
struct InlineFold<Event: SchemaEvent>: Sendable {
  let outline: ProjectionOutline
  let tables: [ProjectionTable]
  let selection: EventQuery<Event>
  let apply: @Sendable (Entry<Event>, inout ProjectionRows) throws -> Void
  let eraser: RowEraser?

  private init<P: InlineProjection>(_ projection: P.Type) throws(AnnalsError) where P.Event == Event {
    outline = try ProjectionOutline(projection)
    tables = P.tables
    selection = P.events
    apply = { entry, rows in try P.apply(entry, to: &rows) }
    eraser = P.eraser
  }

  /// Returns the fold of a projection.
  static func of(_ projection: any InlineProjection<Event>.Type) throws(AnnalsError) -> InlineFold {
    try open(projection)
  }

  private static func open<P: InlineProjection>(_ projection: P.Type) throws(AnnalsError) -> InlineFold
  where P.Event == Event {
    try InlineFold(projection)
  }
}
