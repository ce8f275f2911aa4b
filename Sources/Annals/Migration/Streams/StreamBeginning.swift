internal import LMDB
import Synchronization

/// Says once, before the first append, that entries older than the stages of a plan that move entries to other streams come no more.
///
/// A store that has none of them needs no pass. If some came later, between newer ones, there would be none that could lead them to their streams.
final class StreamBeginning: Sendable {
  private let log: EventLog
  private let plan: CompiledPlan
  private let isDone = Mutex(false)

  init(_ log: EventLog, _ plan: CompiledPlan) {
    self.log = log
    self.plan = plan
  }

  /// Activates the versions behind these stages, unless that has been done.
  ///
  /// - Throws: ``AnnalsError`` with code `requiresPass` where older events came since the store was opened; what an activation throws.
  func run() throws(AnnalsError) {
    if isDone.withLock({ $0 }) { return }
    let plan = plan
    _ = try ActivationWrite(log).run { (transaction, tables, kinds) throws(AnnalsError) in
      var kinds = kinds
      let events = try OlderEvents(StoreReader(transaction.view, tables), kinds, plan.adopted)
      var isChanged = false
      for index in plan.stages.indices where plan.stages[index].movesStreams {
        let (from, to) = (plan.schemas[index], plan.schemas[index + 1])
        if kinds.isActive(to.version) { continue }
        guard events.count(below: to.version) == 0 else {
          let step = MissingStep.movesStreams(from: from.version, to: to.version)
          throw AnnalsError(
            .requiresPass,
            "events of older versions were appended since the store was opened, and \(step)",
            details: AnnalsError.Details { $0.version = to.version })
        }
        try ActivationWrite.activate(to.version, to.stability, &kinds, tables, &transaction)
        isChanged = true
      }
      return isChanged
    }
    isDone.withLock { $0 = true }
  }
}
