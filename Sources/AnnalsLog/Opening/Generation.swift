package import AnnalsCoding
package import AnnalsFormat
package import LMDB
import Synchronization

/// An open generation file, shared by all its readers and writers in this process.
package final class Generation: Sendable {
  package let directory: Directory
  package let current: CurrentFile
  package let environment: Environment
  package let tables: StoreTables
  /// The rows of `meta` at the open. Only those that never change are used later.
  package let meta: StoreMeta
  /// The heads of streams in memory.
  package let heads: StreamHeads
  /// The epoch of the switch to it. A seal of a later epoch shows that it has been succeeded.
  package let arrived: UInt64
  private let lease: GenerationLease?
  private let lastKinds: Mutex<KindRegistry>
  /// The newest commit that is known not to be the seal.
  private let lastInUse = Atomic<UInt64>(0)
  /// The newest commit that is known to have no tagged events.
  private let lastUntagged = Atomic<UInt64>(0)
  /// Whether a pass has noted moves of streams: 0 if not checked, 1 for no, 2 for yes. Only a pass notes
  /// them, in the generation that it builds.
  private let moves = Atomic<UInt8>(0)
  /// Whether the seal of a switch that was rolled back may still have to be removed.
  private let isStale: Atomic<Bool>
  /// Whether `CURRENT` may still name another generation, from which a seal led here.
  private let isNotNamed: Atomic<Bool>

  /// Creates a generation from the result of an open.
  ///
  /// - Parameter heads: The number of heads in memory beyond which heads are evicted for others.
  package init(_ opened: StoreOpening.Opened, _ directory: Directory, heads limit: Int) {
    self.directory = directory
    current = opened.file.current
    environment = opened.file.environment
    tables = StoreTables(opened.file.environment)
    meta = opened.file.meta
    heads = StreamHeads(checkpoint: opened.file.meta.checkpoint, limit: limit)
    arrived = opened.arrived
    lease = opened.file.lease
    lastKinds = Mutex(opened.kinds)
    isStale = Atomic(opened.isStale)
    isNotNamed = Atomic(opened.previous != nil)
  }

  /// The generation's number.
  package var number: UInt64 { current.generation }

  /// The kinds at the newest look at the store.
  package var kinds: KindRegistry {
    lastKinds.withLock { $0 }
  }

  /// Publishes kinds that a newer look at the generation found. Kinds are only ever added.
  func publish(_ kinds: KindRegistry) {
    lastKinds.withLock { known in
      guard kinds.generation == known.generation else { return }
      guard kinds.kinds.count >= known.kinds.count, kinds.epoch >= known.epoch else { return }
      // These come without a rise of the epoch, and stay.
      let (hasTags, hashesJournal) = (
        known.hasTags || kinds.hasTags, known.hashesJournal || kinds.hashesJournal
      )
      known = kinds
      known.hasTags = hasTags
      known.hashesJournal = hashesJournal
    }
  }

  /// Returns at least the kinds in the snapshot of `reader`.
  ///
  /// - Parameter isCommitted: Whether the snapshot is of a commit, and not of a transaction that may change
  ///   or be aborted.
  func kinds(in reader: StoreReader, isCommitted: Bool = true) throws(AnnalsError) -> KindRegistry {
    let known = kinds
    if try reader.kindCount() <= known.kinds.count, try reader.schemaEpoch() <= known.epoch,
      try !hasNewTags(known, in: reader, isCommitted: isCommitted)
    {
      return known
    }
    let newer = try reader.kinds()
    publish(newer)
    return newer
  }

  /// Whether a snapshot has tagged events that the known kinds do not show.
  ///
  /// - Complexity: One comparison if there was no commit since the last look, otherwise one row.
  private func hasNewTags(
    _ known: KindRegistry, in reader: StoreReader, isCommitted: Bool
  ) throws(AnnalsError) -> Bool {
    if known.hasTags { return false }
    guard isCommitted else { return try reader.requires(.tags) }
    let commit = reader.view.id
    if lastUntagged.load(ordering: .relaxed) == commit { return false }
    if try reader.requires(.tags) { return true }
    lastUntagged.store(commit, ordering: .relaxed)
    return false
  }
}

extension Generation {
  /// Calls `body` with a snapshot.
  package func read<Result>(_ body: (StoreReader) throws(AnnalsError) -> Result) throws(AnnalsError) -> Result
  {
    try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      try body(StoreReader(transaction.view, tables))
    }
  }

  /// Returns the head of the stream called `name` in a snapshot; `nil` if it holds no entry.
  package func head(of name: StreamName, _ reader: StoreReader) throws(AnnalsError) -> Head? {
    try SnapshotHeads(heads).head(of: name, reader)
  }

  /// Returns the position of the newest entry; 0 in an empty log.
  ///
  /// - Throws: `damaged` if no log can reach it, and any error of a snapshot.
  package func lastPosition() throws(AnnalsError) -> UInt64 {
    try read { (reader) throws(AnnalsError) in try reader.last() }
  }

  /// Returns the number of bytes of the file that are in use.
  package func usedBytes() throws(AnnalsError) -> Int {
    try environment.read(failure: AnnalsError.init) { (transaction) throws(AnnalsError) in
      do throws(EnvironmentError) { return try transaction.pageUse().used * environment.pageSize } catch {
        throw AnnalsError(error)
      }
    }
  }

  /// Returns the number of rows that lead to the streams.
  package func rowsOfHeads() throws(AnnalsError) -> Int {
    try read { (reader) throws(AnnalsError) in try reader.rowsOfHeads() }
  }

  /// Whether entries of any stream have moved to another one.
  ///
  /// - Complexity: One look-up for the first caller.
  package func hasMoved(in reader: StoreReader) throws(AnnalsError) -> Bool {
    let known = moves.load(ordering: .relaxed)
    if known > 0 { return known == 2 }
    let found = try reader.hasMoved()
    moves.store(found ? 2 : 1, ordering: .relaxed)
    return found
  }

  /// Whether nothing had succeeded the generation by the snapshot of `reader`.
  ///
  /// - Complexity: One comparison if there was no commit since the last look, otherwise one row.
  func isInUse(in reader: StoreReader) throws(AnnalsError) -> Bool {
    let commit = reader.view.id
    if lastInUse.load(ordering: .relaxed) == commit { return true }
    if case .sealed(let seal) = try reader.state(), seal.succeeds(arrived: arrived) { return false }
    lastInUse.store(commit, ordering: .relaxed)
    return true
  }

  /// Whether a writer must call ``unseal(_:)`` before anything else.
  var needsUnsealing: Bool { isStale.load(ordering: .relaxed) }

  /// Whether `CURRENT` may still name another generation.
  var isUnrecorded: Bool { isNotNamed.load(ordering: .relaxed) }

  /// Records that `CURRENT` names the generation, or one that succeeds it.
  func noteRecorded() { isNotNamed.store(false, ordering: .relaxed) }

  /// Completes an interrupted rollback: removes the older seal, in one durable transaction.
  ///
  /// The newer seal, which led here, was the commit point. So any process may do this, and it changes nothing
  /// if another one was faster.
  func unseal(_ turn: consuming Environment.Turn) throws(AnnalsError) {
    var transaction = try environment.write(turn, .full)
    let isStored: Bool
    do throws(AnnalsError) { isStored = try unseal(in: &transaction) } catch {
      transaction.abort()
      throw error
    }
    if isStored {
      do throws(EnvironmentError) { try transaction.commit() } catch { throw AnnalsError(error) }
    } else {
      transaction.abort()
    }
    isStale.store(false, ordering: .relaxed)
  }

  /// Marks the generation as in use.
  ///
  /// - Returns: Whether anything had to be changed.
  private func unseal(in transaction: inout WriteTransaction) throws(AnnalsError) -> Bool {
    var meta = meta
    for name in [StoreMeta.Name.state, .epoch] {
      try StoreReader(transaction.view, tables).read(name, into: &meta)
    }
    guard case .sealed(let seal) = meta.state, !seal.succeeds(arrived: arrived) else { return false }
    meta.state = .live
    meta.epoch = arrived
    for name in [StoreMeta.Name.state, .epoch] {
      try transaction.put(meta.value(of: name), name.rawValue, in: tables.meta)
    }
    return true
  }

  /// Completes a rollback if it was interrupted.
  package func unsealIfStale(within limit: Duration) throws(AnnalsError) {
    if needsUnsealing { try unseal(environment.turn(within: limit)) }
  }

  /// Creates an optional table of the file.
  ///
  /// - Parameter limit: The maximum time to wait for the turn at writing.
  package func create(later definition: TableDefinition, within limit: Duration) throws(AnnalsError) {
    try unsealIfStale(within: limit)
    let turn = try environment.turn(within: limit)
    do throws(EnvironmentError) { _ = try environment.create(later: definition, turn) } catch {
      throw AnnalsError(error)
    }
  }
}
