internal import AnnalsCoding
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
  /// The messages with copies of commits.
  private let copies: [CommitRows.Commit]
  private let machine: UUID
  /// The state after the batch.
  private(set) var state: MemberState
  /// The rows of commits to which the next one is added.
  private(set) var rows: CommitRows
  /// The position of the newest entry.
  private(set) var position: UInt64
  /// The hashes to publish.
  private(set) var audits: [Audit] = []

  init(
    _ plan: ApplyPlan, _ state: MemberState, _ rows: CommitRows, _ position: UInt64, machine: UUID
  ) {
    steps = plan.steps
    copies = plan.copies
    self.state = state
    self.state.sequence = plan.sequence
    self.state.time = plan.time
    self.rows = rows
    self.position = position
    self.machine = machine
  }

  /// Takes the verdicts on the calls, and writes the rows.
  mutating func take(
    _ answers: [Result<Appended, AnnalsError>], _ tables: StoreTables, in transaction: inout WriteTransaction
  ) throws(AnnalsError) {
    var commits = copies
    for (step, answer) in zip(steps, answers) {
      var commit = CommitRows.Commit(sequence: step.sequence, id: step.id, first: 0, count: 0)
      if case .success(let places) = answer { accept(places, step, &commit) }
      commits.append(commit)
    }
    if !copies.isEmpty { commits.sort { $0.sequence < $1.sequence } }
    for commit in commits {
      if let last = rows.commits.last,
        CommitRows.start(of: last.sequence) != CommitRows.start(of: commit.sequence)
      {
        try put(tables, in: &transaction)
        rows = CommitRows()
      }
      rows.commits.append(commit)
    }
    try put(tables, in: &transaction)
    try transaction.put(state.encoded(), MemberState.name, in: tables.meta)
  }

  private mutating func accept(
    _ places: Appended, _ step: ApplyPlan.Step, _ commit: inout CommitRows.Commit
  ) {
    if !places.wasRepeated, let first = places.positions.first {
      commit.first = first.rawValue
      commit.count = UInt64(places.positions.count)
      position = places.positions.last?.rawValue ?? position
    }
    state.commits += 1
    state.chain.add(step.message, at: step.sequence, places)
    guard state.commits % AuditBook.interval == 0 else { return }
    audits.append(
      Audit(machine: machine, commits: state.commits, position: position, hash: state.chain))
  }

  private func put(_ tables: StoreTables, in transaction: inout WriteTransaction) throws(AnnalsError) {
    guard let last = rows.commits.last else { return }
    let name = CommitRows.name(CommitRows.start(of: last.sequence))
    try transaction.put(rows.encoded(), name, in: tables.meta)
  }
}
