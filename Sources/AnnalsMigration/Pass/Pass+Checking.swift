internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsStore
internal import LMDB

// The steps of a pass between the copy and the switch.
extension Pass {
  /// The number of entries after which a comparison rests and reports its progress; fewer at a limited rate.
  private static let segment: UInt64 = 16_384

  /// Copies the rows that lead to the streams.
  mutating func copyHeads() throws(AnnalsError) {
    // A repair rebuilds them, and entries that move to other streams bring their own.
    guard work.patch == nil, work.move == nil else { return machine.copyHeads(last: machine.copied) }
    let copy = HeadCopy(source: source, target: target, nameless: nameless)
    let total = UInt64(clamping: try source.rowsOfHeads())
    var last = try source.lastPosition()
    while true {
      let begin = now
      show(.indexing, min(UInt64(clamping: try target.rowsOfHeads()), total), of: total)
      guard let end = try copy.next(safety == .synced ? .full : .none) else { break }
      last = max(last, end)
      point(.headsBatch)
      if safety == .unsynced { try target.startWriteback() }
      try rest(after: 0, begin.duration(to: now), .indexing, 0, of: total)
    }
    machine.copyHeads(last: last)
    point(.headsCopied)
  }

  /// Merges the heads of the entries after the checkpoint, so that an open of the new generation has little
  /// to read.
  mutating func mergeHeads() throws(AnnalsError) {
    guard work.patch == nil else {
      try rebuildHeads()
      return machine.merge()
    }
    if let relinking = try relink() {
      try relinking.mergeHeads(target, safety == .synced ? .full : .none)
      machine.merge()
      return point(.merged)
    }
    let generation = try target.generation(in: directory)
    try generation.read { (reader) throws(AnnalsError) in try generation.heads.follow(reader.end(), reader) }
    var merge = HeadMerge(generation, HeadMerge.Interval())
    try target.write(safety == .synced ? .full : .none) { (transaction) throws(AnnalsError) in
      try merge.finish(in: &transaction)
    }
    merge.join()
    machine.merge()
    point(.merged)
  }

  /// Checks every page of the file as it is on disk.
  ///
  /// The file is closed meanwhile, and opened again in the usual way.
  mutating func checkFile() throws(AnnalsError) {
    show(.checking, 0, of: machine.copied)
    // The relinking has the file open.
    relinking = nil
    try archive?.synchronize()
    try storage { () throws(EnvironmentError) in try target.environment.synchronize() }
    if safety == .unsynced {
      try PassTarget.mark(.synced, target.current, in: directory, boot: options.boot())
      safety = .synced
    }
    point(.synced)
    try target.check(in: directory) { point(.closed) }
    point(.reopened)
    machine.check()
  }

  /// Compares the delivered events of both generations.
  mutating func compare(_ range: ClosedRange<UInt64>) throws(AnnalsError) {
    if work.patch != nil {
      try compareBytes(range)
      machine.compare(upTo: range.upperBound)
      return point(.compared)
    }
    if machine.compared == 0 { show(.comparing, 0, of: range.upperBound) }
    var begin = now
    var done = range.lowerBound - 1
    try compareAll { (pass, end) throws(AnnalsError) in
      guard end - done >= min(Self.segment, pass.pace.piece) || end == range.upperBound else { return }
      if done > 0 || range.count > 10_000 { pass.show(.comparing, end, of: range.upperBound) }
      try pass.rest(after: end - done, begin.duration(to: pass.now), .comparing, end, of: range.upperBound)
      (done, begin) = (end, pass.now)
    }
    point(.compared)
  }

  /// Compares the entries copied since.
  mutating func compareRest() throws(AnnalsError) {
    if work.patch != nil {
      try compareBytes(machine.compared + 1...machine.copied)
      return machine.compare(upTo: machine.copied)
    }
    try compareAll { (_, _) in }
  }

  /// Runs the `verify` of the plan's stages, which compares the log with its upcast form.
  mutating func verify() throws(AnnalsError) {
    show(.verifying, 0, of: machine.copied)
    if work.patch != nil { try verifyRepair() }
    if work.move != nil { try verifyMoved() }
    try work.verify(
      log, last: machine.copied, isSettingAside: isSettingAside,
      target: RewriteSource(target.environment, log: source.meta.log))
    machine.verify()
    point(.verified)
  }

  /// Copies the entries appended meanwhile.
  mutating func follow(_ range: ClosedRange<UInt64>) throws(AnnalsError) {
    let begin = now
    show(.following, range.lowerBound - 1, of: range.upperBound)
    let end = try put(range, .full, entries: .max, bytes: 16 << 20)
    try mergeMovedHeads(.full)
    machine.follow(upTo: end, took: begin.duration(to: now))
    point(.round)
  }

  /// Copies while writers wait for half of the time, because they append faster than the pass catches up.
  ///
  /// - Returns: How long writers waited for the switch, if nothing was left to copy.
  mutating func slow(_ range: ClosedRange<UInt64>) throws(AnnalsError) -> Duration? {
    show(.following, range.lowerBound - 1, of: range.upperBound, pause: .writers)
    let turn = try turn()
    let begin = now
    var last = try source.lastPosition()
    var end = range.lowerBound - 1
    while end < last, begin.duration(to: now) < .milliseconds(20) {
      end = try put(end + 1...last, .full, entries: 1_000, bytes: 4 << 20)
      last = try source.lastPosition()
    }
    machine.follow(upTo: end, took: begin.duration(to: now))
    point(.round)
    if end == last { return try seal(turn) }
    _ = consume turn
    WriterThread.pause(milliseconds: 20)
    return nil
  }
}
