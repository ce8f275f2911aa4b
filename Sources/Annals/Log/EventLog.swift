public import AnnalsCoding

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An append-only log of events without a plan: types by name, payloads as CBOR, nothing upcast.
///
/// It is what imports, dumps, audits and maintenance use, and what every ``EventStore`` stands on. Several logs and stores
/// of one process may be open at the same path; they share one environment and one writer. The store closes when the last
/// of them is released.
public struct EventLog: Sendable {
  let core: LogCore
  let options: StoreOptions

  /// Opens the store at `url`, or creates it there.
  ///
  /// A failed open changes no byte of the data. The store's directory is kept open, so that a later change of the
  /// working directory does not matter.
  ///
  /// - Parameters:
  ///   - url: The store's directory, `something.annals` by custom, on a local file system. The bytes of its path are taken
  ///     as they are; for a path with `..`, `~` or bytes that are not UTF-8 use `URL(exactPath:)`.
  ///   - options: What may be done, and what happens where there is no store.
  /// - Throws: ``AnnalsError`` with code `noSuchStore`, `cannotCreate`, `notAStore`, `incomplete`, `foreign`, `damaged`,
  ///   `formatVersion`, `needsNewer`, `permission`, `readOnly`, `diskFull`, `busy`, `wrongUse`, `tooManyReaders`,
  ///   `storeReplaced`, `lockFileDamaged`, `usedAfterFork` or `inputOutput`.
  /// - Complexity: O(schema versions and record types), whatever the length of the log.
  public init(at url: URL, options: StoreOptions = StoreOptions()) throws(AnnalsError) {
    try self.init(unsettled: url, options: options)
    try core.place.settle()
  }

  /// Opens the store, and leaves what a switch or a rollback that was cut short has left to do until all checks of the opener have passed.
  init(unsettled url: URL, options: StoreOptions) throws(AnnalsError) {
    guard (1...AppendLimit.payload).contains(options.maximumPayload) else {
      throw AnnalsError(.wrongUse, "the most bytes of a payload are 1 to \(AppendLimit.payload)")
    }
    try options.idempotency?.check()
    core = try LogCore.open(at: url, options: options)
    self.options = options
    if let wanted = options.idempotency { try core.check(wanted) }
    if options.access == .readWrite {
      ProgramLeases(core.generation.directory, mayRemove: true).removeLeftovers()
    }
  }

  /// The id that all copies and generations of this log share.
  public var id: UUID { core.log }

  /// Adds `events` to the end of `stream`, all of them or none.
  ///
  /// The events are on disk when this returns, but the last commit of a store that is opened with ``StoreOptions/Durability/relaxed``. Calls that wait at
  /// the same time share a commit. A task that is cancelled takes its call back as long as that waits.
  ///
  /// A call whose events have ids and are in the stream already, all and in the same order, writes nothing
  /// and returns their places, whatever was expected. The store's ``StoreOptions/idempotency`` says how far
  /// back ids are recognised: by default among the newest 64 entries of the stream, and a call that is
  /// repeated later is stored again. With ``StoreOptions/Idempotency/always`` it is for ever. Ids are
  /// looked for in other streams too, if a pass has moved the stream's entries there. Where too many
  /// entries are there to be certain, or several streams were merged, the call fails with `streamMoved`.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events nothing is written and no stream is created.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: What the caller believes the stream holds, compared exactly with its head at commit.
  /// - Returns: Where the events stand.
  /// - Throws: ``AnnalsError`` with code `needsPlan` where the store has a mandatory inline projection, `conflict`, `streamMoved`, `duplicateID`, `partlyThere`, `invalidName`, `tooLarge`, `malformed`, `superseded`,
  ///   `busy`, `readOnly`, `held`, `needsNewer`, `permission`, `diskFull`, `notCommitted`, `outcomeUnknown`, `storeReplaced`, `lockFileDamaged`,
  ///   `damaged`, `usedAfterFork`, `inputOutput` or `cancelled`.
  /// - Complexity: O(`events.count`), and one flush to disk for all calls that wait at the same time.
  @discardableResult
  public func append(
    _ events: [NewEntry], to stream: StreamName, expecting expected: Expectation = .any
  ) async throws(AnnalsError) -> Appended {
    try await append { call in call.append(events, to: stream, expecting: expected) }
  }

  /// Adds events to several streams, all of them or none, if every expectation holds.
  ///
  /// - Parameter body: Collects what is to be appended and checked.
  /// - Returns: Where the events stand, in the order of the call.
  /// - Throws: As ``append(_:to:expecting:)``; a `conflict` lists every expectation that did not hold.
  @discardableResult
  public func append(
    _ body: (inout AppendCall<NewEntry>) -> Void
  ) async throws(AnnalsError) -> Appended {
    let room = try await core.admit(options)
    var call = AppendCall<NewEntry>(time: .now, maximumPayload: options.maximumPayload)
    body(&call)
    var request = try call.finish().request
    request.take(room)
    return try await append(request)
  }

  /// Hands an encoded call to the writer.
  func append(_ request: AppendRequest) async throws(AnnalsError) -> Appended {
    guard options.access == .readWrite else {
      throw AnnalsError(.readOnly, "the store was opened for reading only; open it with access .readWrite")
    }
    return try await core.append(request, options)
  }

  /// The streams that entries of `stream` have moved to. See ``LogSnapshot/moved(from:)``.
  public func moved(from stream: StreamName) throws(AnnalsError) -> [StreamName] {
    try read { (snapshot) throws(AnnalsError) in try snapshot.moved(from: stream) }
  }

  /// Lends a snapshot of the log to `body`.
  ///
  /// The snapshot shows every entry that was committed when it began and none that comes later. While it lives, disk
  /// space of replaced pages is not used again, so keep the body short.
  ///
  /// - Parameter body: Reads from the snapshot, which cannot be kept.
  /// - Throws: What `body` throws, and ``AnnalsError`` with code `tooManyReaders`, `usedAfterFork` or `inputOutput`.
  public func read<Result>(
    _ body: (borrowing LogSnapshot) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    try body(LogSnapshot(core))
  }

  /// Lends a snapshot of the log to `body`, which may throw errors of its own.
  @_disfavoredOverload
  public func read<Result>(_ body: (borrowing LogSnapshot) throws -> Result) throws -> Result {
    try body(LogSnapshot(core))
  }
}
