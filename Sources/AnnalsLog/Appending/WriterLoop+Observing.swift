internal import AnnalsCoding

extension WriterLoop {
  /// Reports the commit of a group to the store's observer, if there is one.
  func report(_ calls: [GroupCall], _ batch: SequencedBatch?, _ events: UInt64) {
    guard let observer else { return }
    observer.committed(
      CommitActivity(
        events: Int(events), bytes: calls.reduce(batch?.plain?.bytes ?? 0) { $0 + $1.request.bytes },
        calls: batch?.calls.count ?? calls.count, duration: lastCommit))
  }
}
