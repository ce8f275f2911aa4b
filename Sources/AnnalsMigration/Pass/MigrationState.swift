public import AnnalsCoding
internal import AnnalsFormat
public import AnnalsLog

/// The state of a store's migration passes, in any process.
///
/// A replicator, or any other program that should rest while a store is rewritten, waits for ``idle``.
/// Positions and revisions are unchanged by a pass, so the program continues after its checkpoint.
public enum MigrationState: Hashable, Sendable {
  /// No pass is unfinished, and the store accepts appends.
  case idle
  /// A pass that builds `generation`, in which events are stored in `version`, is running or was interrupted.
  /// Reads and appends continue. The version is `nil` for a pass without a plan, which changes no event.
  case unfinished(generation: UInt64, version: SchemaVersion?)
  /// The store has switched, and appends fail with `appendsSuspended` until the switch is accepted or rolled
  /// back.
  case appendsSuspended
}

extension EventLog {
  /// Returns the current state of the store's migration passes.
  ///
  /// - Throws: ``AnnalsError`` with code `damaged`, `tooManyReaders` or `inputOutput`.
  /// - Complexity: One snapshot, and the look-up of two rows.
  public func migrationState() throws(AnnalsError) -> MigrationState {
    try read { (snapshot) throws(AnnalsError) in
      if try snapshot.reader.state() == .appendsSuspended { return .appendsSuspended }
      guard let pass = try snapshot.reader.pass() else { return .idle }
      return .unfinished(generation: pass.other, version: pass.version)
    }
  }

  /// Returns the current state of migration passes, and then each other state as the store reaches it.
  ///
  /// A state reached in this process is seen at once, one reached in another process within a few
  /// milliseconds. States that follow each other faster than the loop requests them are skipped. The sequence
  /// ends when its task is cancelled.
  public func migrationStates() -> MigrationStates { MigrationStates(log: self) }
}

/// The states of a store's migration passes, each as the store reaches it.
public struct MigrationStates: AsyncSequence, Sendable {
  /// The error that ends the sequence.
  public typealias Failure = AnnalsError

  let log: EventLog

  /// Creates an iterator that begins with the present state.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(log: log) }

  /// The states that a loop has not received yet.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let log: EventLog
    private var last: MigrationState?
    private var wait = CommitWait()

    init(log: EventLog) {
      self.log = log
    }

    /// Returns the next state; `nil` if the task is cancelled.
    ///
    /// - Throws: As ``EventLog/migrationState()``.
    /// - Complexity: One snapshot for each commit of the store, or for several in close succession.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async throws(AnnalsError) -> MigrationState? {
      let (log, last) = (log, last)
      let next = try await wait.first(in: log.core) { () throws(AnnalsError) -> MigrationState? in
        let state = try log.migrationState()
        return state == last ? nil : state
      }
      if let next { self.last = next }
      return next
    }
  }
}
