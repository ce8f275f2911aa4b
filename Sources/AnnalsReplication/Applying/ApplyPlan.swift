internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What becomes of some messages of a cluster's log: decided from them and the state before them alone.
struct ApplyPlan {
  /// A call that is to be decided.
  struct Step {
    var sequence: UInt64
    var id: UUID
    var call: SequencedCall
    /// The message, and those of its bytes that the running hash takes: all, or the call in a shared one.
    var message: [UInt8]
    var bytes: Range<Int>
    /// The place of its commit among those of the plan.
    var commit: Int
  }

  /// The largest number of calls in a transaction, and of the bytes of their messages.
  ///
  /// A transaction is flushed once, so a backlog of small calls is faster in large ones.
  private static let limit = (calls: 16_000, bytes: 8 << 20)

  /// The calls, in order.
  private(set) var steps: [Step] = []
  /// Reads the calls of messages.
  private var reader: CallReader
  /// The sequence and the time up to which all messages are applied afterwards.
  private(set) var sequence: UInt64
  private(set) var time: Int64
  /// The published hashes among the messages.
  private(set) var audits: [Audit] = []
  /// All commits in order, as long as none is decided. Copies of earlier ones and those that came too late
  /// are among them, because they have the same contents.
  private(set) var commits: [CommitRows.Commit] = []
  /// The commits that came too late.
  private(set) var late: [UUID] = []
  /// The number of messages that the plan includes.
  private(set) var count = 0
  /// Why the machine cannot continue after them; `nil` if it can.
  private(set) var stop: AnnalsError?
  /// The plain calls of the steps; `nil` if none is. Copies that are left out are in the list, too.
  var plain: PlainCalls? { reader.plain.count > 0 ? reader.plain : nil }
  private var bytes = 0
  private var seen: Set<UUID> = []
  /// The number of commits in messages before the present one.
  private var earlier = 0
  /// The record types of a call that this machine's program reads. Neighbouring calls mostly have the same.
  private var readable: [AppendRequest.Record] = []
  /// Whether the program reads each record type of plain calls, by number, as far as it was asked.
  private var readablePlain: [Bool] = []

  /// The id of the log, the shapes of earlier messages, and whether this machine's program reads a record.
  struct Context {
    let log: UUID
    /// The moment at which a commit counts.
    let durability: StoreOptions.Durability
    /// The rules of the store that each call goes through.
    let rules: [any AppendRule]
    let shapes: ShapeMemory
    let reads: @Sendable (AppendRequest.Record) -> AnnalsError?
    /// Returns why this machine's program does not go on after a step of a roll-out; `nil` if it does.
    let goesOn: @Sendable (RolloutStep) -> AnnalsError?
  }

  /// Makes the plan for as many of `messages` as one transaction takes.
  init(
    _ messages: ArraySlice<ReplicatedMessage>, after state: MemberState, _ recent: RecentCommits,
    _ context: Context
  ) {
    sequence = state.sequence
    time = state.time
    reader = CallReader(context)
    let most = min(messages.count, Self.limit.calls)
    steps.reserveCapacity(most)
    commits.reserveCapacity(most)
    seen.reserveCapacity(most)
    for message in messages {
      // The log delivers again what came before a reconnection.
      if message.sequence <= sequence {
        count += 1
        continue
      }
      if let error = Self.gap(message, after: sequence) {
        stop = error
        return
      }
      let time = max(time, message.time)
      switch MessageHead(message.bytes.span) {
      case .void: break
      case .later(let format):
        stop = Self.newer(format, at: message.sequence)
        return
      case .kind(let kind):
        earlier = commits.count
        if !take(kind, message, time, recent, context) { return }
      }
      sequence = message.sequence
      self.time = time
      count += 1
      if isFull { return }
    }
  }

  /// Whether the transaction takes no further call. The rows of projections are completed after an erasure,
  /// or before they come into force.
  private var isFull: Bool {
    if commits.count >= Self.limit.calls || bytes >= Self.limit.bytes { return true }
    return steps.last?.call.change?.isAlone ?? false
  }

  /// Takes a message.
  ///
  /// - Returns: Whether the machine continues after it.
  private mutating func take(
    _ kind: ClusterMessage.Kind, _ message: ReplicatedMessage, _ time: Int64, _ recent: RecentCommits,
    _ context: Context
  ) -> Bool {
    switch kind {
    case .append, .calls:
      guard let calls = reader.calls(of: kind, message.bytes, time) else { return true }
      // A machine applies all of a message, or stops before it.
      for call in calls where !isReadable(call, message.sequence, recent, context) { return false }
      for call in calls where isNew(call.commit, message.sequence, recent) {
        add(call.call, call.commit, message, call.bytes)
      }
      return true
    case .genesis, .change, .audit, .roll, .activation, .retention:
      let content = MessageHead.content(of: message.bytes.span)
      guard let decoded = try? ClusterMessage(content, kind, time, context.shapes),
        decoded.log == context.log
      else { return true }
      return take(decoded.body, message, time, recent, context)
    }
  }

  /// Takes a message without calls to append.
  private mutating func take(
    _ body: ClusterMessage.Body, _ message: ReplicatedMessage, _ time: Int64, _ recent: RecentCommits,
    _ context: Context
  ) -> Bool {
    switch body {
    case .genesis, .append, .calls: return true
    case .audit(let audit):
      audits.append(audit)
      return true
    case .change(let change, let commit):
      // Such a change is a transaction of its own. Its commit must not be noted in one before it, which would
      // make a copy of it.
      if change.isAlone, !steps.isEmpty { return false }
      var request = AppendRequest(time: time)
      request.change = change
      request.rules = context.rules
      if case .roll(let step) = change.work {
        // Nor must that of a step at which the machine stops.
        if isUnknown(commit, message.sequence, recent), let error = context.goesOn(step) {
          stop = error
          return false
        }
        request.rules = [SharedRolloutRule(step)] + context.rules
      }
      guard isNew(commit, message.sequence, recent) else { return true }
      request.sharedTime = time
      let call = GroupCall(request, context.durability)
      add(.whole(call), commit, message, message.bytes.indices)
      return true
    }
  }

  /// Whether this machine's program reads the records of a call; the plan stops at it if not. Of a copy,
  /// nothing is read.
  private mutating func isReadable(
    _ found: CallReader.Found, _ sequence: UInt64, _ recent: RecentCommits, _ context: Context
  ) -> Bool {
    switch found.call {
    case .whole(let call):
      let records = call.request.records
      if records == readable { return true }
      guard isUnknown(found.commit, sequence, recent) else { return true }
      for record in records {
        guard let error = context.reads(record) else { continue }
        stop = error
        return false
      }
      readable = records
    case .plain(let index):
      let events = reader.plain.events
      for item in events.parts[index].items {
        let record = events.items[item].record
        if record < readablePlain.count, readablePlain[record] { continue }
        guard isUnknown(found.commit, sequence, recent) else { return true }
        if let error = context.reads(events.records[record]) {
          stop = error
          return false
        }
        while readablePlain.count <= record { readablePlain.append(false) }
        readablePlain[record] = true
      }
    }
    return true
  }

  /// Whether a commit is neither a copy nor late.
  private func isUnknown(_ commit: CommitID, _ sequence: UInt64, _ recent: RecentCommits) -> Bool {
    recent.fate(of: commit, at: sequence, unnoted: earlier) == .new && !seen.contains(commit.id)
  }

  /// Notes a commit.
  ///
  /// - Returns: Whether it is to be decided.
  private mutating func isNew(_ commit: CommitID, _ sequence: UInt64, _ recent: RecentCommits) -> Bool {
    commits.append(CommitRows.Commit(sequence: sequence, id: commit.id, first: 0, count: 0))
    switch recent.fate(of: commit, at: sequence, unnoted: earlier) {
    case .copy: return false
    case .late:
      late.append(commit.id)
      // Machines that have noted it before pass over its copies.
      seen.insert(commit.id)
      return false
    case .new: return seen.insert(commit.id).inserted
    }
  }

  /// Adds the call whose commit was noted last.
  private mutating func add(
    _ call: SequencedCall, _ commit: CommitID, _ message: ReplicatedMessage, _ bytes: Range<Int>
  ) {
    self.bytes += bytes.count
    steps.append(
      Step(
        sequence: message.sequence, id: commit.id, call: call, message: message.bytes, bytes: bytes,
        commit: commits.count - 1))
  }

  // MARK: Messages after which a machine cannot continue

  private static func gap(_ message: ReplicatedMessage, after sequence: UInt64) -> AnnalsError? {
    guard message.sequence != sequence + 1 || message.bytes.isEmpty else { return nil }
    return AnnalsError(
      .storeTooOld,
      "message \(sequence + 1) of the cluster's log was erased before this machine applied it: close the store and put a backup of another machine in its place"
    )
  }

  private static func newer(_ format: UInt8, at sequence: UInt64) -> AnnalsError {
    AnnalsError(
      .needsNewer,
      "message \(sequence) of the cluster's log is of a kind of format \(format) that this program does not know; it applies nothing more: use a program with a newer version of the library, and it continues from there"
    )
  }
}

extension LogChange {
  /// Whether the change is a transaction of its own: the rows of inline projections are folded for it.
  var isAlone: Bool {
    switch work {
    case .erase: true
    case .roll(let step): !step.rules.isEmpty
    case .limit, .retain: false
    }
  }
}
