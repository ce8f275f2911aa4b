internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsMaintenance
internal import AnnalsStore

// Changes of the log that take more than one transaction.
extension Applier {
  /// Applies the activation of inline projections, which are folded from the log before.
  ///
  /// The fold takes many transactions, and a machine that is killed continues it. The last one puts them in
  /// force, and has the sequence of the message.
  func activate(
    _ change: RuleSwitch, _ batch: SequencedBatch
  ) throws(AnnalsError) -> SequencedAnswers {
    var batch = batch
    return try ActivationWrite.fromCluster { () throws(AnnalsError) in
      for rule in rules {
        // The same on every machine, so it is the verdict.
        guard let refusal = try rule.build(change, log) else { continue }
        for index in batch.calls.indices {
          // The batch has the activation alone.
          guard case .whole(let call) = batch.calls[index] else { continue }
          var request = call.request
          request.rules = [RefusedActivation(reason: refusal)] + rules
          batch.calls[index] = .whole(GroupCall(request, context.durability))
        }
      }
      let answers = try log.apply(batch)
      // The rows of retired versions are removed by and by. If that ends here, the next open goes on.
      for rule in rules { try? rule.begin(log, isActivating: false) { () throws(AnnalsError) in } }
      return answers
    }
  }

  /// Applies an erasure, and clears what programs of this machine have worked out from the entries.
  ///
  /// - Returns: The verdicts, and why the erasure is not complete although it is stored.
  func erase(
    _ positions: [Position], _ batch: SequencedBatch, isOurs: Bool
  ) throws(AnnalsError) -> (answers: SequencedAnswers, failure: AnnalsError?) {
    var answers: SequencedAnswers?
    do throws(AnnalsError) {
      try ActivationWrite.fromCluster { () throws(AnnalsError) in
        if isOurs {
          answers = try log.apply(batch)
          for rule in rules { try rule.begin(log, isActivating: false) { () throws(AnnalsError) in } }
        } else {
          try log.applyErasure(of: positions, rules: rules) { () throws(AnnalsError) in
            answers = try log.apply(batch)
          }
        }
      }
      return (answers ?? SequencedAnswers(), nil)
    } catch {
      guard let answers else { throw error }
      return (answers, error)
    }
  }

  /// Does what follows the commit of an erasure, after an attempt that failed.
  func completeErasure() throws(AnnalsError) {
    try ActivationWrite.fromCluster { () throws(AnnalsError) in try log.completeErasure(rules: rules) }
  }
}

/// Refuses an activation, because an inline projection refuses an event of the log.
private struct RefusedActivation: AppendRule {
  let reason: AnnalsError

  func admit(_ call: AppendRequest, to group: AppendGroup) throws(AnnalsError) -> [PhaseChange] {
    throw reason
  }
}
