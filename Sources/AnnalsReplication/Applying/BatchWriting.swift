internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The rows that a batch writes next to the entries of its calls: how far the log is applied, and the decided
/// commits.
struct BatchWriting: Sendable {
  private let steps: [ApplyPlan.Step]
  /// All commits of the batch in order, copies included.
  private(set) var commits: [CommitRows.Commit]
  private let machine: UUID
  /// The state after the batch.
  private(set) var state: MemberState
  /// The rows of commits to which the next one is added.
  private(set) var rows: CommitRows
  /// The position of the newest entry.
  private(set) var position: UInt64
  /// Memory for what the running hash takes.
  private var buffer: [UInt8] = []
  /// The hashes to publish.
  private(set) var audits: [Audit] = []

  init(
    _ plan: ApplyPlan, _ state: MemberState, _ rows: CommitRows, _ position: UInt64, machine: UUID
  ) {
    steps = plan.steps
    commits = plan.commits
    self.state = state
    self.state.sequence = plan.sequence
    self.state.time = plan.time
    self.rows = rows
    self.position = position
    self.machine = machine
  }

  /// Takes the verdicts on the calls, and writes the rows.
  mutating func take(
    _ answers: SequencedAnswers, _ tables: StoreTables, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    let revisions = answers.revisions.span
    for (index, answer) in answers.answers.enumerated() {
      switch answer {
      case .stored(let first, let range): accept(first, revisions.extracting(range), steps[index])
      case .other(.success(let places)): accept(places, steps[index])
      case .other(.failure): break
      }
    }
    for commit in commits {
      if let next = rows.next(for: commit.sequence) {
        try put(tables, in: &transaction)
        rows = next
      }
      rows.commits.append(commit)
    }
    try put(tables, in: &transaction)
    try transaction.put(state.encoded(), MemberState.name, in: tables.meta)
  }

  /// Notes a call that is stored from a position on.
  private mutating func accept(_ first: Position, _ revisions: Span<Revision>, _ step: ApplyPlan.Step) {
    commits[step.commit].first = first.rawValue
    commits[step.commit].count = UInt64(revisions.count)
    position = first.rawValue + UInt64(revisions.count) - 1
    state.chain.add(step.message.span.extracting(step.bytes), at: step.sequence, first, revisions, &buffer)
    count()
  }

  private mutating func accept(_ places: Appended, _ step: ApplyPlan.Step) {
    if !places.wasRepeated, let first = places.positions.first {
      commits[step.commit].first = first.rawValue
      commits[step.commit].count = UInt64(places.positions.count)
      position = places.positions.last?.rawValue ?? position
    }
    if case .roll(let change) = step.call.change?.work,
      let rules = change.rules.applied(to: state.rules)
    {
      state.rules = rules
    }
    state.chain.add(step.message.span.extracting(step.bytes), at: step.sequence, places, &buffer)
    count()
  }

  /// Counts an accepted commit, which is in the hash already.
  private mutating func count() {
    state.commits += 1
    guard state.commits % AuditBook.interval == 0 else { return }
    audits.append(
      Audit(machine: machine, commits: state.commits, position: position, hash: state.chain))
  }

  private func put(_ tables: StoreTables, in transaction: inout WriteTransaction) throws(AnnalsError) {
    guard !rows.commits.isEmpty else { return }
    try transaction.put(rows.encoded(), CommitRows.name(rows.start), in: tables.meta)
  }
}
