public import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsShapes

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An append-only event log without a plan. It knows types by name and payloads as CBOR, and upcasts nothing.
///
/// Imports, dumps, audits and maintenance use it, and every ``EventStore`` is built on one. A process may
/// have several logs and stores open at the same path; they share one environment and one writer. The store
/// closes when the last of them is released.
public struct EventLog: Sendable {
  package let core: LogCore
  package let options: StoreOptions
  private let url: URL

  /// Opens the store at `url`, or creates it there.
  ///
  /// A failed open changes no byte of the data. The store's directory stays open, so a later change of the
  /// working directory has no effect.
  ///
  /// - Parameters:
  ///   - url: The store's directory, by convention `something.annals`, on a local file system. The bytes of
  ///     its path are used unchanged; for a path with `..`, `~` or bytes that are not UTF-8 use
  ///     `URL(exactPath:)`.
  ///   - options: The options, such as the access and the behaviour if there is no store.
  /// - Throws: ``AnnalsError`` with code `noSuchStore`, `cannotCreate`, `notAStore`, `incomplete`, `foreign`,
  ///   `damaged`, `formatVersion`, `needsNewer`, `permission`, `readOnly`, `diskFull`, `busy`, `wrongUse`,
  ///   `tooManyReaders`, `storeReplaced`, `lockFileDamaged`, `usedAfterFork` or `inputOutput`.
  /// - Complexity: O(schema versions and record types), regardless of the length of the log.
  public init(at url: URL, options: StoreOptions = StoreOptions()) throws(AnnalsError) {
    try self.init(unsettled: url, options: options)
    try core.place.settle()
  }

  /// Opens the store without completing a switch or a rollback that was interrupted. The opener completes it
  /// after all of its own checks have passed.
  package init(unsettled url: URL, options: StoreOptions) throws(AnnalsError) {
    guard (1...AppendLimit.payload).contains(options.maximumPayload) else {
      throw AnnalsError(.wrongUse, "the most bytes of a payload are 1 to \(AppendLimit.payload)")
    }
    try options.idempotency?.check()
    core = try LogCore.open(at: url, options: options)
    self.options = options
    self.url = url
    if let wanted = options.idempotency { try core.check(wanted) }
    if options.access == .readWrite {
      ProgramLeases(core.generation.directory, mayRemove: true).removeLeftovers()
    }
  }

  /// Lets the keys of the options take this store, before a plan with personal fields reads it.
  ///
  /// The log itself needs no keys.
  ///
  /// - Parameter user: The plan, for the message.
  /// - Throws: ``AnnalsError`` with code `keyMissing` without keys, and what the keys throw.
  package func attachKeys(for user: String) throws(AnnalsError) {
    guard let keys = options.keys else { throw AnnalsError.noKeys("\(user) has personal fields") }
    let mayHave = try read { (snapshot) in snapshot.kinds.hasPersonalFields }
    try keys.attach(
      toStoreAt: url, log: core.log, hasPersonalData: mayHave, isReadOnly: options.access == .readOnly)
  }

  /// The log's id, which all copies and generations share.
  public var id: UUID { core.log }

  /// Appends `events` to the end of `stream`, all of them or none.
  ///
  /// The events are durable on return. With ``StoreOptions/Durability/relaxed``, a power loss may lose the
  /// last commit. Calls that wait at the same time share a commit. Cancelling the task withdraws a call that
  /// is still waiting.
  ///
  /// A call whose events have ids and are all in the stream already, in the same order, writes nothing. It
  /// returns their places and ignores its expectation. The store's ``StoreOptions/idempotency`` sets how far
  /// back ids are recognised. By default these are the newest 64 entries of the stream, and a call repeated
  /// later is stored again. With ``StoreOptions/Idempotency/always``, ids are recognised forever.
  ///
  /// Only the stream itself is searched for ids. If it is empty because a pass has moved its entries, a call
  /// with ids fails with `streamMoved`, which names the new streams. The same error is thrown if the ids are
  /// in the stream, among entries that a pass has merged from several streams.
  ///
  /// - Parameters:
  ///   - events: The events, oldest first. Without events, nothing is written and no stream is created.
  ///   - stream: The stream to extend. It need not exist yet.
  ///   - expected: The state that the stream must have, compared with its head at commit.
  /// - Returns: The places of the events.
  /// - Throws: ``AnnalsError`` with code `needsPlan` if an inline projection of the store is in force,
  ///   `conflict`, `streamClosed`, `streamMoved`, `duplicateID`, `partialDuplicate`, `invalidName`,
  ///   `tooLarge`, `malformed`, `superseded`, `busy`, `readOnly`, `appendsSuspended`, `needsNewer`,
  ///   `permission`, `diskFull`, `notCommitted`, `outcomeUnknown`, `storeReplaced`, `lockFileDamaged`,
  ///   `damaged`, `usedAfterFork`, `inputOutput` or `cancelled`.
  /// - Complexity: O(`events.count`), and one flush to disk for all calls that wait at the same time.
  @discardableResult
  public func append(
    _ events: [NewEntry], to stream: StreamName, expecting expected: Expectation = .any
  ) async throws(AnnalsError) -> Appended {
    try await append { call in call.append(events, to: stream, expecting: expected) }
  }

  /// Appends events to several streams, all of them or none, if every expectation holds.
  ///
  /// - Parameter body: Collects the events to append and the streams to check.
  /// - Returns: The places of the events, in the order of the call.
  /// - Throws: As ``append(_:to:expecting:)``; a `conflict` lists every expectation that did not hold.
  @discardableResult
  nonisolated(nonsending) public func append(
    _ body: (inout AppendCall<NewEntry>) -> Void
  ) async throws(AnnalsError) -> Appended {
    try await append(under: nil, body)
  }

  /// Returns the streams that entries of `stream` have moved to. See ``LogSnapshot/moved(from:)``.
  public func moved(from stream: StreamName) throws(AnnalsError) -> [StreamName] {
    try read { (snapshot) throws(AnnalsError) in try snapshot.moved(from: stream) }
  }

  /// Calls `body` with a consistent snapshot of the log.
  ///
  /// The snapshot shows every entry committed before it began, and none committed later. Keep `body` short:
  /// LMDB cannot reuse freed pages while a snapshot is open.
  ///
  /// - Parameter body: Reads from the snapshot, which it cannot keep.
  /// - Throws: Any error that `body` throws, and ``AnnalsError`` with code `tooManyReaders`, `usedAfterFork`
  ///   or `inputOutput`.
  public func read<Result>(
    _ body: (borrowing LogSnapshot) throws(AnnalsError) -> Result
  ) throws(AnnalsError) -> Result {
    try body(LogSnapshot(core))
  }

  /// Calls `body`, which may throw errors of its own, with a consistent snapshot of the log.
  @_disfavoredOverload
  public func read<Result>(_ body: (borrowing LogSnapshot) throws -> Result) throws -> Result {
    try body(LogSnapshot(core))
  }
}
