package import AnnalsCoding
internal import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema
internal import LMDB
import Synchronization

/// Says once in each generation, before the first append, that entries older than the stages of a plan that
/// move entries to other streams come no more.
///
/// A store that has none of them needs no pass. If some came later, between newer ones, there would be none
/// that could lead them to their streams. A generation that a rollback has brought back has them still.
package final class StreamMoveGuard: Sendable {
  /// The versions after these stages.
  let versions: [SchemaVersion]
  private let log: EventLog
  private let plan: CompiledPlan
  /// The number of the generation in which it was last done.
  private let done = Mutex<UInt64?>(nil)

  /// Creates the guard of a plan; `nil` if no stage of it moves entries.
  convenience init?(ifNeededBy plan: CompiledPlan, _ log: EventLog) {
    guard plan.stages.contains(where: \.movesStreams) else { return nil }
    self.init(log, plan)
  }

  private init(_ log: EventLog, _ plan: CompiledPlan) {
    self.log = log
    self.plan = plan
    versions = plan.stages.indices.filter { plan.stages[$0].movesStreams }.map {
      plan.schemas[$0 + 1].version
    }
  }

  /// Makes sure that the versions after these stages are active, unless that is known.
  ///
  /// - Parameter isAsked: Whether the store has said that they are not.
  /// - Throws: ``AnnalsError`` with code `requiresPass` if older events are there, which came since the store
  ///   was opened or are back; what an activation throws.
  package func run(isAsked: Bool = false) throws(AnnalsError) {
    if !isAsked, done.withLock({ $0 }) == log.core.generation.number { return }
    let (number, kinds) = try log.read { (snapshot) in (snapshot.generation.number, snapshot.kinds) }
    if !versions.allSatisfy(kinds.isActive) { try activate() }
    done.withLock { $0 = number }
  }

  private func activate() throws(AnnalsError) {
    let plan = plan
    _ = try ActivationWrite(log).run { (transaction, tables, kinds) throws(AnnalsError) in
      var kinds = kinds
      let events = try OlderEvents(StoreReader(transaction.view, tables), kinds, plan)
      var isChanged = false
      for index in plan.stages.indices where plan.stages[index].movesStreams {
        let (from, to) = (plan.schemas[index], plan.schemas[index + 1])
        if kinds.isActive(to.version) { continue }
        guard events.count(below: to.version, passing: index) == 0 else {
          throw AnnalsError(unmovedBetween: from.version, to.version)
        }
        try ActivationWrite.activate(to.version, to.stability, &kinds, tables, &transaction)
        isChanged = true
      }
      return isChanged
    }
  }
}

extension CompiledPlan {
  /// Throws if a pass has yet to move events to other streams before the plan reads the log.
  ///
  /// - Throws: ``AnnalsError`` with code `requiresPass`; `damaged` or `inputOutput`.
  /// - Complexity: O(stages and kinds).
  package func mustHaveMovedStreams(_ snapshot: borrowing LogSnapshot) throws(AnnalsError) {
    guard stages.contains(where: \.movesStreams) else { return }
    let events = try OlderEvents(snapshot, self)
    for index in stages.indices where stages[index].movesStreams {
      let (from, to) = (schemas[index].version, schemas[index + 1].version)
      if snapshot.kinds.isActive(to) || events.count(below: to, passing: index) == 0 { continue }
      throw AnnalsError(unmovedBetween: from, to)
    }
  }
}

extension AnnalsError {
  /// Creates the error for a store that a rollback has brought back with events that a stage moves.
  fileprivate init(unmovedBetween from: SchemaVersion, _ to: SchemaVersion) {
    self.init(
      .requiresPass,
      "the store has events of older versions again, and \(MissingStep.movesStreams(from: from, to: to))",
      details: AnnalsError.Details { $0.version = to })
  }
}

/// The rule of calls whose plan has stages that move entries to other streams: the versions after these
/// stages must be active.
struct StreamMoveRule: AppendRule {
  /// The versions after these stages.
  let versions: [SchemaVersion]

  func admit(_ call: AppendRequest, to group: AppendGroup) throws(AnnalsError) -> [PhaseChange] {
    if let refusal = group.kinds.refusal(of: call.records) { throw refusal }
    guard let version = versions.first(where: { !group.kinds.isActive($0) }) else { return [] }
    throw AnnalsError(
      .busy,
      "streams of the store are as they were before version \(version) gave them other entries; nothing was written; try again",
      details: AnnalsError.Details { $0.version = version }, underlying: StreamsUnmoved())
  }
}

/// A call came to a generation in which streams are as they were before a pass gave them other entries.
struct StreamsUnmoved: Error {}
