internal import AnnalsCoding
internal import AnnalsFormat
internal import LMDB
import Synchronization

/// The state of the writer, and what it does for each group of calls.
struct WriterLoop {
  /// The number of nanoseconds that the thread waits for as many calls as last time. Measurements show that
  /// less than half of it is needed.
  private static let patience = 100_000

  /// The generation in use, as the thread knows it.
  var generation: Generation
  let place: CurrentGeneration
  let interval: HeadMerge.Interval
  /// The clock for the times of commits.
  private let clock: @Sendable () -> Timestamp
  private let line: WaitingLine<LogWriter.Job>
  private let status: LogWriter.Status
  let observer: (any StoreObserver)?
  var merge: HeadMerge
  /// The longest commit, in the last transaction, after which a caller stores its call itself. On a slower
  /// disk the way to the thread costs little, and the caller's thread would be kept for long.
  private static let fastCommit = Duration.milliseconds(2)

  /// The number of calls in the last group.
  private var lastCount = 1
  /// Whether a caller's own thread is at work.
  private(set) var isLeading = false
  /// The duration of the last commit.
  private(set) var lastCommit = Duration.zero
  /// The sizes of the next groups, after more calls failed together. The next size is the last element.
  private var pieces: [Int] = []
  /// The number of the newest commit that the heads in memory include completely.
  var knownCommit: UInt64?
  /// The merge of another process, as this one last saw it.
  var otherMerge: MergeRow?
  /// The rules that the store demands of appends, with their progress at the newest known commit.
  var rules: [RuleRow] = []
  /// The heads of tags at the newest known commit, as far as they were read.
  var tags = TagHeads()
  /// The newest times of commits, at the newest known commit; `nil` if they were not read.
  var times: CommitTimes?
  /// Whether the store takes changes from a shared log alone.
  var isShared = false
  /// How the store recognises event ids.
  var idempotency = StoreOptions.Idempotency.window(64)

  init(
    _ place: CurrentGeneration, _ line: WaitingLine<LogWriter.Job>, _ status: LogWriter.Status,
    _ interval: HeadMerge.Interval, _ clock: @escaping @Sendable () -> Timestamp,
    _ observer: (any StoreObserver)? = nil
  ) {
    self.observer = observer
    self.place = place
    self.interval = interval
    self.clock = clock
    generation = place.generation
    self.line = line
    self.status = status
    merge = HeadMerge(generation, interval)
  }

  /// Reads what the first call will need. Its transaction reports a failure.
  mutating func prepare() { try? follow() }

  /// Serves the calls that wait, up to the size of a group.
  mutating func serveGroup() {
    if place.generation !== generation {
      // A reader has met the seal first. The first transaction reports any error that keeps the thread from
      // following.
      try? move()
    }
    if line.isEmpty { return keepUp() }
    if lastCount > 1, pieces.isEmpty { line.gather(lastCount, upTo: Self.patience) }
    // Entries of others are read before the turn, so that a process that slept keeps nobody waiting.
    // Obstacles to that, such as a full table of readers, need not prevent the transaction.
    try? follow()
    do throws(AnnalsError) {
      if generation.needsUnsealing { try generation.unseal(turn()) }
      let turn = try turn()
      let jobs = takeGroup()
      guard !jobs.isEmpty else { return }
      lastCount = jobs.count
      serve(jobs, turn)
      keepUp()
    } catch {
      pieces = []
      answer(line.take { _ in true }, .failure(error))
    }
  }

  /// Stores one call for the caller whose thread this is, unless that would keep it waiting.
  ///
  /// - Returns: The answer; `nil` if the call must join the queue, and nothing has happened. Anything that
  ///   keeps
  ///   the transaction from beginning is left to the thread, which reports it.
  mutating func serve(_ call: GroupCall) -> Result<Appended, AnnalsError>? {
    guard lastCount == 1, pieces.isEmpty, lastCommit < Self.fastCommit, !merge.isBehind,
      place.generation === generation, !generation.needsUnsealing
    else { return nil }
    isLeading = true
    defer { isLeading = false }
    let opened: Opened
    do throws(AnnalsError) {
      try follow()
      guard
        let turn = try storage({ () throws(EnvironmentError) in try generation.environment.turnIfFree() }),
        let begun = try open([call], turn)
      else { return nil }
      opened = begun
    } catch {
      return nil
    }
    defer { if merge.isBehind { line.nudge() } }
    do throws(AnnalsError) { return try storeOwn([call], opened)[0] } catch { return .failure(error) }
  }

  /// Takes as many calls as one transaction may hold, or fewer if they have failed together.
  private mutating func takeGroup() -> [LogWriter.Job] {
    let most = pieces.popLast() ?? .max
    var (bytes, calls, entries) = (0, 0, 0)
    return line.take { job in
      bytes += job.call.request.bytes
      calls += 1
      entries += job.call.request.items.count
      return bytes <= AppendLimit.transaction && calls <= most && entries <= interval.entriesPerGroup
    }
  }

  /// Reads the entries that other processes have written since the last look.
  mutating func follow() throws(AnnalsError) {
    let newest = try storage { () throws(EnvironmentError) in try generation.environment.lastTransaction() }
    if newest == knownCommit { return }
    try generation.environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      let reader = StoreReader(transaction.view, generation.tables)
      try generation.heads.follow(reader.end(), reader)
    }
  }

  /// Returns the turn at writing. While another process keeps it, calls that have waited long enough are
  /// answered.
  func turn() throws(AnnalsError) -> Environment.Turn {
    let environment = generation.environment
    // A caller's thread must not be kept by another process that is stopped.
    if isLeading { return try environment.turn(within: Self.settlingTime) }
    if let turn = try storage({ () throws(EnvironmentError) in try environment.turnIfFree() }) { return turn }
    status.isBlocked.store(true, ordering: .releasing)
    defer { status.isBlocked.store(false, ordering: .releasing) }
    // The end of the writer closes the queue first, and then checks whether the thread is blocked: one of the
    // two is seen.
    if line.isOver { throw AnnalsError(.readOnly, "the store is being closed") }
    let over = Signal()
    defer { over.announce() }
    let watch = { @Sendable [line, status] in Self.watch(line, status, environment, until: over) }
    // A thread, because callers may block all threads that run tasks. The system may have no more threads.
    do { _ = try WriterThread(name: "annals-turn", watch) } catch { Task.detached { watch() } }
    return try storage { () throws(EnvironmentError) in try environment.turn() }
  }

  /// Stores a group, and answers each call.
  private mutating func serve(_ jobs: [LogWriter.Job], _ turn: consuming Environment.Turn) {
    let opened: Opened
    do throws(AnnalsError) {
      guard let begun = try open(jobs.map(\.call), turn) else {
        // Nothing of them is stored, and nothing was decided. They are taken again in the succeeding
        // generation.
        try move()
        return line.rejoin(jobs)
      }
      opened = begun
    } catch {
      // A failure to begin the transaction fails each of them.
      return answer(jobs, .failure(error))
    }
    do throws(AnnalsError) {
      let answers = try storeOwn(jobs.map(\.call), opened)
      for (job, answer) in zip(jobs, answers) { job.caller.resume(returning: answer) }
    } catch {
      guard jobs.count > 1, error.recovery != [.reopen] else { return answer(jobs, .failure(error)) }
      // A large call must not fail a small one that still fits, nor one that meets damage another that does
      // not. Halves are tried again, so that few failing calls are found in few transactions.
      pieces += [jobs.count - jobs.count / 2, jobs.count / 2]
      line.rejoin(jobs)
    }
  }

  private func answer(_ jobs: [LogWriter.Job], _ answer: Result<Appended, AnnalsError>) {
    for job in jobs { job.caller.resume(returning: answer) }
  }

  /// Runs one transaction with calls of this process.
  private mutating func storeOwn(
    _ calls: [GroupCall], _ opened: consuming Opened
  ) throws(AnnalsError) -> [Result<Appended, AnnalsError>] {
    var none = SequencedAnswers()
    return try store(calls, opened, &none)
  }

  /// Runs one transaction.
  ///
  /// - Parameters:
  ///   - batch: The batch of a shared log that the calls are of; `nil` for calls of this process.
  ///   - verdicts: Gets the verdicts on the calls of the batch.
  /// - Returns: The answers to calls of this process.
  mutating func store(
    _ calls: [GroupCall], _ opened: consuming Opened, of batch: SequencedBatch? = nil,
    _ verdicts: inout SequencedAnswers
  ) throws(AnnalsError) -> [Result<Appended, AnnalsError>] {
    let last = opened.last
    let search = opened.search
    var transaction = opened.transaction
    let heads = generation.heads
    let before = merge
    heads.withTable { $0.begin() }
    var group = AppendGroup(generation, last: last, search, rules: rules)
    swap(&group.tags, &tags)
    group.times = times
    var answers: [Result<Appended, AnnalsError>] = []
    var mark: EntryMark?
    do throws(AnnalsError) {
      if let batch {
        try batch.begin(StoreReader(transaction.view, generation.tables))
        try decide(batch, &verdicts, &group, in: &transaction)
      } else {
        answers = try answer(calls, &group, in: &transaction)
      }
      if group.hasChanges || batch != nil {
        try group.putRows(in: &transaction)
        if let batch {
          try finish(batch, verdicts, in: &transaction)
        } else {
          try group.noteTime(clock().microseconds, from: last + 1, in: &transaction)
        }
        try merge.slice(with: group.count, in: &transaction)
        if batch == nil { mark = try EntryMark(group.last, StoreReader(transaction.view, generation.tables)) }
      }
    } catch {
      // Before the turn ends with the transaction: readers must not mistake entries that are not stored for
      // those that another process stores then.
      heads.withTable { $0.rollBack() }
      merge = before
      transaction.abort()
      throw error
    }
    guard group.hasChanges || batch != nil else {
      swap(&group.tags, &tags)
      heads.withTable { $0.keep() }
      transaction.abort()
      try confirm(calls, answers)
      return answers
    }
    let commit = transaction.id
    let start = ContinuousClock.now
    do throws(EnvironmentError) {
      try transaction.commit { isStored in
        heads.withTable { if isStored { $0.keep() } else { $0.rollBack() } }
      }
    } catch {
      merge = before
      // Whether a batch is stored, its rows say.
      knownCommit = nil
      guard let mark, case .panicked(let cause) = error else { throw AnnalsError(error) }
      let group = UnsettledGroup(answers: answers, last: mark, cause: cause)
      return try settle(group, otherwise: AnnalsError(error))
    }
    lastCommit = ContinuousClock.now - start
    knownCommit = commit
    if let batch { isShared = batch.isShared }
    rules = group.rules
    swap(&group.tags, &tags)
    tags.trim()
    times = group.times
    merge.keep()
    merge.freezeIfDue(against: otherMerge)
    // Only now are the kinds that the group registered in the store.
    generation.publish(group.kinds)
    place.commits.announce()
    report(calls, batch, group.count)
    return answers
  }
}
