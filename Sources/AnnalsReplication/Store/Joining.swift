internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import LMDB

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The steps by which a store on this machine becomes, or is recognised as, a member of a cluster.
struct Joining {
  let shared: any ReplicatedLog
  /// The inline projections with which the program begins a cluster, by name.
  let rules: [RuleVersion]
  /// Those that it has, retiring ones included.
  let known: [RuleVersion]
  let cluster: ClusterOptions

  init(
    _ shared: any ReplicatedLog, _ rules: [RuleVersion], known: [RuleVersion], _ cluster: ClusterOptions
  ) {
    self.shared = shared
    self.rules = rules.inOrder
    self.known = known
    self.cluster = cluster
  }

  /// Opens or creates the store without a plan, and makes it a member.
  ///
  /// - Returns: Its log, the claim to apply the cluster's log to it, and the options to open it with.
  func run(
    at url: URL, _ wanted: StoreOptions
  ) async throws(AnnalsError) -> (log: EventLog, claim: MemberLock, options: StoreOptions) {
    try check(wanted)
    var options = wanted
    options.sequencer = nil
    options.activating = false
    options.creation = .never
    var log: EventLog?
    do throws(AnnalsError) { log = try EventLog(at: url, options: options) } catch {
      guard error.code == .noSuchStore, wanted.creation != .never else { throw error }
    }
    if let log, wanted.creation == .always {
      throw AnnalsError(
        .cannotCreate, "there is a store already, of the log \(log.id.uuidString); nothing was changed")
    }
    if let log, let state = try log.memberState() {
      try mustKnow(state.rules)
      return (log, try await claim(log), options)
    }
    let (id, genesis) = try await begin(options.idempotency)
    try mustKnow(genesis.rules)
    if log == nil {
      options.creation = .ifMissing
      options.newLogID = id
      options.idempotency = genesis.window == 0 ? .always : .window(Int(genesis.window))
      log = try EventLog(at: url, options: options)
      options.creation = .never
    }
    guard let log else { preconditionFailure("a log was opened or created") }
    guard log.id == id else {
      throw AnnalsError(
        .foreign,
        "the store's log is \(log.id.uuidString), and the cluster's is \(id.uuidString): use another directory, or the log of its own cluster"
      )
    }
    let lock = try await claim(log)
    try join(log, genesis)
    return (log, lock, options)
  }

  /// Claims to apply the cluster's log to a store. A member that was just closed may still end its last
  /// batch.
  private func claim(_ log: EventLog) async throws(AnnalsError) -> MemberLock {
    let deadline = ContinuousClock.now + .seconds(2)
    while true {
      do throws(AnnalsError) { return try MemberLock(log) } catch {
        guard error.code == .busy, ContinuousClock.now < deadline else { throw error }
      }
      do { try await Task.sleep(for: .milliseconds(20)) } catch {
        throw AnnalsError(.cancelled, "the task was cancelled while it joined the cluster")
      }
    }
  }

  /// Throws for options that a member cannot have.
  private func check(_ options: StoreOptions) throws(AnnalsError) {
    guard options.access == .readWrite else {
      throw AnnalsError(
        .wrongUse,
        "a member of a cluster applies its log, so it is opened for writing; open the store as an EventStore to read it"
      )
    }
    guard options.keys == nil else {
      throw AnnalsError(
        .wrongUse,
        "a cluster has no personal fields, because their keys are in a file of one machine; open it without keys"
      )
    }
    try options.idempotency?.check()
  }

  /// Throws unless the program can decide calls: it needs the projections that are in force where the store
  /// is in the cluster's log.
  private func mustKnow(_ inForce: [RuleVersion]) throws(AnnalsError) {
    guard !inForce.allSatisfy(known.contains) else { return }
    throw AnnalsError(
      .superseded,
      "each machine of the cluster needs the inline projections that are in force where its store is in the cluster's log: \(inForce.list); this program has \(known.list). Open the store with them, as retiring ones if the next activation removes them, or put a backup of a machine that is further in its place"
    )
  }

  /// Reads how the cluster's log begins; begins it if it is empty. Attempts without an answer are repeated.
  private func begin(
    _ idempotency: StoreOptions.Idempotency?
  ) async throws(AnnalsError) -> (log: UUID, genesis: Genesis) {
    let deadline = ContinuousClock.now + cluster.deadline
    while true {
      do throws(AnnalsError) {
        return try await begin(idempotency, within: ContinuousClock.now.duration(to: deadline))
      } catch {
        guard error.code == .unavailable, ContinuousClock.now < deadline else { throw error }
      }
      do { try await Task.sleep(for: .milliseconds(50)) } catch {
        throw AnnalsError(.cancelled, "the task was cancelled while it joined the cluster")
      }
    }
  }

  private func begin(
    _ idempotency: StoreOptions.Idempotency?, within limit: Duration
  ) async throws(AnnalsError) -> (log: UUID, genesis: Genesis) {
    if try await shared.last(within: limit) == 0 {
      let window =
        switch idempotency ?? .window(64) {
        case .window(let count): UInt64(count)
        case .always: UInt64(0)
        }
      let genesis = ClusterMessage(log: UUID.random(), .genesis(Genesis(window: window, rules: rules)))
      // Another machine may be first. Then its message counts, on all of them.
      _ = try await shared.publish(try genesis.encoded(), id: UUID.random(), within: limit)
    }
    return try await shared.genesis(within: limit)
  }

  /// Makes an empty store a member that has applied the first message.
  private func join(_ log: EventLog, _ genesis: Genesis) throws(AnnalsError) {
    let state = MemberState(sequence: 1, rules: genesis.rules)
    _ = try log.apply(
      SequencedBatch([], .full) { (reader) throws(AnnalsError) in
        guard try reader.last() == 0 else {
          throw AnnalsError(
            .wrongUse,
            "the store has entries and belongs to no cluster: begin the cluster with an empty store, and append the events there"
          )
        }
      } finish: { (transaction, tables, _) throws(AnnalsError) in
        try transaction.put(state.encoded(), MemberState.name, in: tables.meta)
      })
  }
}

extension [RuleVersion] {
  /// The versions in words.
  var list: String {
    isEmpty ? "none" : map { "'\($0.name)' in version \($0.version)" }.joined(separator: ", ")
  }
}

extension EventLog {
  /// Returns how far the store has applied the log of its cluster; `nil` for a store of no cluster.
  func memberState() throws(AnnalsError) -> MemberState? {
    try read { (snapshot) throws(AnnalsError) in try snapshot.reader.memberState() }
  }
}
