internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsMaintenance
internal import AnnalsStore
internal import LMDB
import Synchronization

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Applies the messages of a cluster's log to the store of this machine, each batch in one transaction.
final class Applier: Sendable {
  /// What the machine knows of the log after the last batch.
  private struct Memory {
    /// The row as it is stored.
    var stored: MemberState
    /// The state after messages that changed nothing, for which no row is written.
    var state: MemberState
    var recent: RecentCommits
    /// The rows of commits to which the next one is added.
    var rows: CommitRows
    /// The position of the newest entry.
    var position: UInt64
    /// The program that the store's row says the machine waits for.
    var need: ProgramNeed?
    var book = AuditBook()
    /// Whether rows that are made from entries may lack what follows the commit of an erasure.
    var mustComplete = false
    /// The verdicts and hashes of an erasure that is stored and not complete.
    var held = Outcome()
  }

  /// The result of a batch.
  struct Outcome {
    /// The number of messages that are applied.
    var count = 0
    /// The verdicts on calls, by commit.
    var verdicts = Verdicts()
    /// The hashes that this machine is to publish.
    var audits: [Audit] = []
    /// Why the machine cannot continue after them.
    var stop: AnnalsError?
  }

  let log: EventLog
  /// Held until the last batch has ended, also after the member was closed.
  private let claim: MemberLock
  private let machine = UUID.random()
  let rules: [any AppendRule]
  let context: ApplyPlan.Context
  /// Taken out while a batch is applied, so that nothing of it is copied.
  private let memory: Mutex<Memory?>
  private let known: Mutex<(state: MemberState, position: UInt64)>

  /// Creates the applier of a store that is a member of a cluster.
  ///
  /// - Parameters:
  ///   - log: The log, opened without a sequencer.
  ///   - claim: The claim to apply the cluster's log to it.
  ///   - rules: The inline projections of the store.
  ///   - known: The versions of inline projections that this machine's program has.
  ///   - readable: The records that this machine's program reads; `nil` if it has no plan.
  init(
    _ log: EventLog, _ claim: MemberLock, _ rules: [any AppendRule], known rulesKnown: Set<RuleVersion> = [],
    _ readable: ReadableRecords?
  ) throws(AnnalsError) {
    self.log = log
    self.claim = claim
    self.rules = rules
    context = ApplyPlan.Context(
      log: log.id, durability: log.options.durability, rules: rules, shapes: ShapeMemory(),
      reads: { readable?.refusal(of: $0) },
      goesOn: { readable?.refusal(of: $0) ?? AnnalsError(unknownIn: $0.rules, rulesKnown, $0.version) })
    let memory = try Self.memory(log)
    self.memory = Mutex(memory)
    known = Mutex((memory.state, memory.position))
    guard memory.mustComplete else { return }
    // Otherwise before the next batch.
    if (try? completeErasure()) != nil { self.memory.withLock { $0?.mustComplete = false } }
  }

  private static func memory(_ log: EventLog) throws(AnnalsError) -> Memory {
    try log.read { (snapshot) throws(AnnalsError) in
      let reader = snapshot.reader
      guard let state = try reader.memberState() else { throw AnnalsError.noMember }
      var memory = Memory(
        stored: state, state: state, recent: try reader.recentCommits(upTo: state.sequence),
        rows: try reader.newestCommitRows(upTo: state.sequence),
        position: try reader.last(), need: try reader.programNeed())
      // An erasure ends its batch, and is completed before the next one.
      if let newest = memory.rows.commits.last, newest.count > 0,
        case .erased = (try? snapshot.systemEntry(at: Position(newest.first)))?.entry.change
      {
        memory.mustComplete = true
      }
      return memory
    }
  }

  /// The id of the log, which all stores of the cluster share.
  var cluster: UUID { log.id }

  /// The state after the last batch, and the position of the newest entry.
  var state: (state: MemberState, position: UInt64) { known.withLock { $0 } }

  /// Applies messages, as many as one transaction takes.
  ///
  /// - Parameter isLocal: Whether a caller of this process waits for a commit, so that an erasure need not
  ///   withdraw views once more.
  /// - Throws: Any error of the machine; nothing is applied then, and the call can be repeated.
  func apply(
    _ messages: ArraySlice<ReplicatedMessage>, isLocal: (UUID) -> Bool
  ) throws(AnnalsError) -> Outcome {
    // Moved, because a second reference to the recent commits would copy them once for each batch.
    guard var memory = self.memory.withLock({ $0.take() }) else { throw AnnalsError.otherApplier }
    defer {
      known.withLock { $0 = (memory.state, memory.position) }
      self.memory.withLock { $0 = memory }
    }
    if memory.mustComplete {
      try completeErasure()
      memory.mustComplete = false
    }
    let plan = ApplyPlan(messages, after: memory.state, memory.recent, context)
    var outcome = memory.held
    (outcome.count, outcome.stop) = (plan.count, plan.stop)
    if !plan.commits.isEmpty { try run(plan, &memory, &outcome, isLocal: isLocal) }
    memory.held = Outcome()
    memory.state.sequence = plan.sequence
    memory.state.time = plan.time
    for id in plan.late { outcome.verdicts.append(id, .failure(AnnalsError.lateCommit)) }
    for audit in outcome.audits { memory.book.note(audit) }
    for audit in plan.audits {
      if let difference = memory.book.take(audit), outcome.stop == nil {
        outcome.stop = AnnalsError(difference, stored: memory.position)
      }
    }
    return outcome
  }

  private func run(
    _ plan: ApplyPlan, _ memory: inout Memory, _ outcome: inout Outcome, isLocal: (UUID) -> Bool
  ) throws(AnnalsError) {
    let writing = BatchWriting(plan, memory.state, memory.rows, memory.position, machine: machine)
    let written = Mutex<BatchWriting?>(nil)
    let stored = memory.stored
    let isNeeded = memory.need != nil
    let calls = plan.steps.map(\.call)
    let batch = SequencedBatch(calls, plain: plan.plain, log.options.durability) {
      (reader) throws(AnnalsError) in
      guard try reader.memberState() == stored else { throw AnnalsError.otherApplier }
    } finish: { (transaction, tables, answers) throws(AnnalsError) in
      var writing = writing
      try writing.take(answers, tables, in: &transaction)
      // The program of this machine has applied the message that another could not.
      if isNeeded { try transaction.remove(ProgramNeed.name, in: tables.meta) }
      written.withLock { $0 = writing }
    }
    let (answers, failure) = try apply(batch, plan, isLocal: isLocal)
    guard let writing = written.withLock({ $0 }) else { throw AnnalsError.otherApplier }
    memory.state = writing.state
    memory.stored = writing.state
    memory.rows = writing.rows
    memory.position = writing.position
    memory.need = nil
    for commit in writing.commits { memory.recent.note(commit.id, at: commit.sequence) }
    outcome.verdicts.append(plan.steps.map(\.id), answers)
    outcome.audits += writing.audits
    guard let failure else { return }
    (memory.mustComplete, memory.held) = (true, outcome)
    throw failure
  }

  /// Applies a batch.
  ///
  /// - Returns: The verdicts, and why an erasure is not complete although it is stored.
  private func apply(
    _ batch: SequencedBatch, _ plan: ApplyPlan, isLocal: (UUID) -> Bool
  ) throws(AnnalsError) -> (answers: SequencedAnswers, failure: AnnalsError?) {
    guard let step = plan.steps.last else { return (try log.apply(batch), nil) }
    switch step.call.change?.work {
    case .erase(let positions): return try erase(positions, batch, isOurs: isLocal(step.id))
    case .roll(let change) where !change.rules.isEmpty: return (try activate(change.rules, batch), nil)
    default: return (try log.apply(batch), nil)
    }
  }

  /// Notes in the store which program the machine waits for, so that other programs can show it.
  func note(_ stop: AnnalsError) throws(AnnalsError) {
    let known = memory.withLock { memory in memory.map { ($0.state, $0.stored, $0.need) } }
    guard let (state, stored, before) = known else { return }
    let need = ProgramNeed(sequence: state.sequence + 1, version: stop.details.version)
    guard need != before else { return }
    _ = try log.apply(
      SequencedBatch([], log.options.durability) { (reader) throws(AnnalsError) in
        guard try reader.memberState() == stored else { throw AnnalsError.otherApplier }
      } finish: { (transaction, tables, _) throws(AnnalsError) in
        try transaction.put(need.encoded(), ProgramNeed.name, in: tables.meta)
      })
    memory.withLock { $0?.need = need }
  }

  /// Reads the state of the store again after an error, because the batch may be stored.
  func reload() throws(AnnalsError) {
    var fresh = try Self.memory(log)
    memory.withLock { memory in
      if let memory { (fresh.book, fresh.held) = (memory.book, memory.held) }
      memory = fresh
    }
    known.withLock { $0 = (fresh.state, fresh.position) }
  }
}

extension AnnalsError {
  /// The error for a store without the row of a member.
  static var noMember: AnnalsError {
    AnnalsError(
      .damaged, "table 'meta': the row '\(MemberState.name)' of a member of a cluster is missing",
      details: Details { $0.table = "meta" })
  }

  /// The error for a store whose state another program has changed.
  static var otherApplier: AnnalsError {
    AnnalsError(
      .storeReplaced,
      "another program has applied the cluster's log to this store: let one program of a machine open it as a member"
    )
  }

  /// The error for a commit that the log got too late.
  static var lateCommit: AnnalsError {
    AnnalsError(
      .unavailable,
      "the cluster's log stored the call more than \(RecentCommits.window) messages after it was made, so it is void; nothing was written: try again"
    )
  }

  /// The error for a machine that differs.
  init(_ difference: AuditBook.Difference, stored last: UInt64) {
    self.init(
      .diverged,
      "position \(difference.position): after \(difference.commits) commits this machine's store differs from those of other machines, and it stops serving: put a backup of another machine in its place, and keep this one to find the cause",
      details: Details { $0.position = Position(difference.position) })
  }
}
