package import AnnalsCoding
internal import AnnalsFormat
internal import LMDB

// Batches of a log that several machines share.
extension WriterLoop {
  /// Applies a batch in one transaction.
  ///
  /// - Returns: The verdict on each call.
  /// - Throws: Any error that is no verdict; nothing of the batch is applied then.
  mutating func apply(_ batch: SequencedBatch) throws(AnnalsError) -> SequencedAnswers {
    let calls = batch.wholeCalls
    while true {
      if place.generation !== generation { try move() }
      // Obstacles to reading ahead need not prevent the transaction.
      try? follow()
      if generation.needsUnsealing { try generation.unseal(turn()) }
      guard let opened = try open(calls, turn(), of: batch) else {
        try move()
        continue
      }
      var answers = SequencedAnswers()
      _ = try store(calls, opened, of: batch, &answers)
      keepUp()
      return answers
    }
  }

  /// Decides the calls of a transaction, and stores the events of those that are accepted.
  func answer(
    _ calls: [GroupCall], _ group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> [Result<Appended, AnnalsError>] {
    var answers: [Result<Appended, AnnalsError>] = []
    answers.reserveCapacity(calls.count)
    for call in calls {
      answers.append(try answer(call.request, &group, in: &transaction))
    }
    return answers
  }

  private func answer(
    _ call: AppendRequest, _ group: inout AppendGroup, in transaction: inout WriteTransaction
  ) throws(AnnalsError) -> Result<Appended, AnnalsError> {
    if let time = call.sharedTime { return try group.run(call, at: time, in: &transaction) }
    if isShared { return .failure(AnnalsError.needsCluster) }
    return try group.run(call, in: &transaction)
  }

  /// Decides the calls of a batch in their order, and stores the events of those that are accepted.
  func decide(
    _ batch: SequencedBatch, _ answers: inout SequencedAnswers, _ group: inout AppendGroup,
    in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    answers.reserveCapacity(batch.calls.count)
    var next = 0
    while next < batch.calls.count {
      switch batch.calls[next] {
      case .whole(let call):
        answers.append(try answer(call.request, &group, in: &transaction))
        next += 1
      case .plain(let first):
        // Some of the list may be copies, which the batch leaves out.
        var range = first..<first + 1
        next += 1
        while next < batch.calls.count, case .plain(range.upperBound) = batch.calls[next] {
          range = first..<range.upperBound + 1
          next += 1
        }
        if let plain = batch.plain { try group.run(plain, range, &answers, in: &transaction) }
      }
    }
  }

  /// Writes the rows of a batch, after the verdicts on its calls.
  func finish(
    _ batch: SequencedBatch, _ answers: SequencedAnswers, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    try batch.finish(&transaction, generation.tables, answers)
    if batch.isShared, !isShared { try transaction.require(.cluster, generation.tables) }
  }
}

extension AnnalsError {
  /// The error for a call to a store that belongs to a cluster.
  package static var needsCluster: AnnalsError {
    AnnalsError(
      .needsCluster,
      "the store belongs to a cluster, and all of its changes come from the cluster's log; nothing was written: open it as a part of the cluster, or for reading only"
    )
  }
}
