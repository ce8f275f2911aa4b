internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
internal import AnnalsCoding

/// The decision about the files of a view when a program opens it. It changes nothing itself.
struct ViewChoice: Equatable, Sendable {
  /// The file that a build uses.
  enum Building: Equatable, Sendable {
    /// Nothing is built.
    case none
    /// A file whose build has already begun.
    case going(on: UInt64)
    /// A new file.
    case new
  }

  /// The file that reads use; `nil` if there is none yet.
  private(set) var serving: UInt64?
  /// The build to run.
  private(set) var building = Building.none
  /// The reason for a rebuild; `nil` for a first build and for a raised version.
  private(set) var reason: String?
  /// The last version of the newer plan that has built, or is building, the current file from other inputs;
  /// `nil` if there is none. Such a file is read, but neither folded nor replaced: otherwise two programs
  /// would rebuild the same view in turns forever.
  private(set) var newer: SchemaVersion?
  /// The withdrawn file with whose rows the build begins, once the erased events are taken out of them; `nil`
  /// to begin with the log.
  private(set) var reused: UInt64?
  /// The files that are not needed.
  private(set) var discarded: [UInt64] = []
  /// The files of versions that are not needed once no build is under way.
  private(set) var outlived: [UInt64] = []

  /// The facts about one file.
  struct Candidate: Sendable {
    var facts: ViewFacts
    /// Whether it has read the current log.
    var agreement: CheckpointAgreement
    /// Whether its rows can be read as those of the program's version.
    var isReadable: Bool
  }

  /// Makes the decision.
  ///
  /// - Parameters:
  ///   - outline: The program's projection.
  ///   - inputs: The inputs of its rows in the program's plan.
  ///   - oldest: The plan's oldest version.
  ///   - newest: The plan's last version.
  ///   - erases: Whether the projection takes erased events out of its rows itself.
  ///   - candidates: The files of the name, of all versions and in any order.
  ///   - noted: The reason to report for files that were gone before they could be examined.
  ///   - isOpen: Whether this process follows the view, so that it may be built next to a newer version.
  /// - Throws: ``AnnalsError`` with code `shapeChanged` or `superseded`.
  init(
    _ outline: ProjectionOutline, _ inputs: ProjectionInputs, oldest: SchemaVersion?,
    newest: SchemaVersion?, erases: Bool = false, _ candidates: [Candidate], noted: String?,
    isOpen: Bool = false
  ) throws(AnnalsError) {
    reason = noted
    var own: [Candidate] = []
    var (isLost, isWithdrawn) = (false, false)
    for candidate in candidates.sorted(by: { $0.facts.number > $1.facts.number }) {
      let facts = candidate.facts
      guard facts.version == outline.version else { continue }
      if let problem = Self.problem(candidate.agreement) {
        discarded.append(facts.number)
        reason = reason ?? problem
      } else if facts.isWithdrawn {
        isWithdrawn = true
        if erases, reused == nil, facts.isReady, facts.erased != nil, facts.definition == outline.text,
          Self.difference(facts, inputs, oldest) == nil
        {
          reused = facts.number
        } else {
          discarded.append(facts.number)
        }
        reason = reason ?? facts.withdrawal?.reason ?? "events that the view may have folded were erased"
      } else if facts.successor != nil {
        // No process folds it any more, and it would redirect its readers forever.
        discarded.append(facts.number)
        isLost = true
      } else if facts.definition == outline.text {
        own.append(candidate)
      } else if facts.isReady {
        throw Self.changed(outline)
      } else {
        discarded.append(facts.number)
      }
    }
    let ready = own.first { $0.facts.isReady }
    // A file that was withdrawn, or whose build was cut short after that, is built again.
    if !isOpen, !isWithdrawn, own.isEmpty { try Self.mustNotBeNewer(candidates, outline) }
    serving = ready?.facts.number
    if serving == nil, isLost { reason = reason ?? "the file that took its place is gone" }
    let isNewer = { (facts: ViewFacts) in facts.plan.flatMap { plan in newest.map { plan > $0 } } ?? false }
    var isStale = false
    if let ready, let why = Self.difference(ready.facts, inputs, oldest) {
      if isNewer(ready.facts) {
        newer = ready.facts.plan
      } else {
        isStale = true
        reason = why
      }
    }
    for candidate in own where candidate.facts.number != serving {
      let facts = candidate.facts
      let isLater = facts.number > serving ?? 0 && building == .none && !facts.isReady
      if isLater, Self.difference(facts, inputs, oldest) == nil {
        building = .going(on: facts.number)
        newer = nil
      } else if isLater, isNewer(facts) {
        // The file that reads use is followed until the build ends, unless it is of no use either.
        if serving != nil, !isStale { continue }
        building = .going(on: facts.number)
        newer = facts.plan
      } else {
        discarded.append(facts.number)
      }
    }
    if building == .none, serving == nil || isStale { building = .new }
    // The file of a build that has begun with it is still needed if that is cut short.
    if let unused = reused, serving != nil {
      discarded.append(unused)
      reused = nil
    }
    let lower = candidates.filter { $0.facts.version < outline.version }
    let isUsable = { (lower: Candidate) in
      lower.facts.isReady && lower.facts.successor == nil && lower.isReadable && lower.agreement == .agrees
    }
    if serving == nil {
      serving =
        lower.filter(isUsable)
        .max { ($0.facts.version, $0.facts.number) < ($1.facts.version, $1.facts.number) }?.facts.number
    } else if building == .none {
      outlived = lower.map(\.facts.number)
    }
  }

  private static func difference(
    _ facts: ViewFacts, _ inputs: ProjectionInputs, _ oldest: SchemaVersion?
  ) -> String? {
    guard let stored = ProjectionInputs(facts.inputs) else {
      return "the file does not say what its rows depend on"
    }
    return inputs.reasonToRebuild(from: stored, oldest: oldest)
  }

  private static func problem(_ agreement: CheckpointAgreement) -> String? {
    switch agreement {
    case .agrees: nil
    case .otherLog: "the view was folded from another log"
    case .ahead(let last):
      "the view was ahead of the log, which ends at position \(last): the log was restored, or lost its end"
    case .differs:
      "the log holds another entry where the view had read to: it was restored, or lost its end, and went on"
    }
  }

  private static func changed(_ outline: ProjectionOutline) -> AnnalsError {
    AnnalsError(
      .shapeChanged,
      "the tables of the projection '\(outline.name)' are not those that version \(outline.version) of it was stored with: raise its 'version'"
    )
  }

}

extension AnnalsError {
  /// Creates the error for a view that a program with a newer plan has built.
  init(of outline: ProjectionOutline, builtBy newer: SchemaVersion, _ own: SchemaVersion) {
    self.init(
      .superseded,
      "the view '\(outline.name)' was built by a program whose plan ends with version \(newer), from other records than this one's, which ends with version \(own): it is read as it is, and only the newer program folds it; use that, or raise 'version' of the projection there, or call EventStore.rebuild(_:) when it is gone"
    )
  }
}

extension ViewChoice {
  private static func mustNotBeNewer(
    _ candidates: [Candidate], _ outline: ProjectionOutline
  ) throws(AnnalsError) {
    let newest = candidates.filter { $0.facts.isReady && $0.agreement == .agrees }.map(\.facts.version).max()
    guard let newer = newest, newer > outline.version else { return }
    throw AnnalsError(
      .superseded,
      "the store has version \(newer) of the projection '\(outline.name)', and the program has version \(outline.version): use the newer program, or call EventStore.remove(view:) to build the older version again"
    )
  }
}
