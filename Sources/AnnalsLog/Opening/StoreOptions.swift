public import AnnalsCoding
public import AnnalsShapes
package import LMDB

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// The options for opening a store.
public struct StoreOptions: Sendable {
  /// The access that an opener has.
  public enum Access: Sendable {
    /// Reads and appends.
    case readWrite
    /// Reads only. No byte of the data is changed. Lock files, which name their holder, and LMDB's reader
    /// table are changed, and created if missing. On a read-only file system nothing is written.
    case readOnly
  }

  /// The behaviour if there is no store.
  public enum Creation: Sendable {
    /// Creates a store if nothing is there.
    case ifMissing
    /// Fails if there is no store.
    case never
    /// Fails if there is a store already.
    case always
  }

  /// The assumption that the opener makes about the file.
  public enum Trust: Sendable {
    /// This library wrote the file on this machine. Only its two meta pages are checked.
    case own
    /// The file may be damaged, or come from elsewhere. Every page is checked before LMDB uses it, because a
    /// damaged page can crash the process. The check reads the whole file, and others may append meanwhile. A
    /// view whose file is damaged is built again.
    case nobody
  }

  /// The moment at which an append returns.
  public enum Durability: Sendable {
    /// When the commit is on disk: no power loss can lose it.
    case full
    /// When the entries are on disk. A power loss may lose the last commit of the log, as a whole, and never
    /// an earlier one. A crash of the process loses nothing.
    case relaxed
  }

  /// The policy of an ``EventStore``'s readers for entries that cannot be decoded or upcast.
  public enum Unreadable: Sendable {
    /// Fails with the error at that entry.
    case fail
    /// Reports the entry and continues after it. None of its parts is delivered. `process` does not
    /// do so, and goes by its own policy.
    ///
    /// The store is not changed, and every reader that meets the entry reports it again. Readers still stop
    /// for causes beyond a single entry: damage, or a version or context that the plan lacks.
    ///
    /// An open with ``StoreOptions/activating`` also skips such entries: `prepare` does not see them, and its
    /// result is frozen. A `Fold` ends its groups before such an entry in its stream. Once the entry can be
    /// read, it becomes a group of its own.
    ///
    /// The reader calls the closure while it holds a snapshot. The closure should be quick, and must not read
    /// from the same snapshot.
    case quarantine(@Sendable (QuarantinedEntry) -> Void)
  }

  /// The policy of an ``EventStore``'s readers for events of types that only newer versions of the schema
  /// have.
  public enum NewerTypes: Sendable {
    /// Fails with code `newerSchema`. A store that has such events does not open.
    case fail
    /// Continues after the event and counts it in ``EventStore/skipped``. Such a program lets newer programs
    /// write types that it does not know.
    case skip
  }

  /// The access that the opener has.
  public var access: Access
  /// The behaviour if there is no store. Opening for reading never creates a store.
  public var creation: Creation
  /// The assumption that the opener makes about the file.
  public var trust: Trust
  /// The tables that the opener reads, whose pages alone are checked with ``Trust/nobody``; `nil` for all.
  package var scope: [String]?
  /// Whether the opener reads a table.
  func reads(_ table: String) -> Bool { scope?.contains(table) ?? true }
  /// The guards between processes. All of them are on, except in tests that show the purpose of each.
  package var guards = EnvironmentOptions.Guards.all
  /// The maximum size of a payload in bytes: 1 byte to 100 MiB.
  public var maximumPayload: Int
  /// The moment at which an append returns. The default is ``Durability/full``.
  public var durability = Durability.full
  /// How the store recognises a repeated append call, by the ids of its events.
  ///
  /// A store keeps the setting with which it was created, by default `.window(64)`. Opening a store with
  /// another setting fails with `wrongUse`; `nil` opens every store. ``EventLog/setIdempotency(_:progress:)``
  /// and `annals set idempotency` change it later.
  public var idempotency: Idempotency?
  /// Whether the open may activate the plan: compute and freeze contexts and folds, adopt events without a
  /// version, and put inline projections in force. Activating reads the log. Without it, a store that needs a
  /// context, a fold or an adoption fails to open with `requiresActivation`.
  ///
  /// Inline projections stay out of force while programs of other versions append alongside this one.
  public var activating = false
  /// The undeclared fields that may be lost, by their ``UndeclaredField/name``: `TYPE.KEY` or
  /// `TYPE.outer.inner`. The default is none.
  ///
  /// Adopting events without a version, and every migration pass of this opener, fail with code
  /// `undeclaredFields` if payloads have other undeclared fields. Names that the store does not have are
  /// ignored.
  public var dropFields: Set<String> = []
  /// The policy for entries that cannot be decoded or upcast. It applies to this store value only. The
  /// default is `.fail`.
  public var unreadable = Unreadable.fail
  /// The policy for events of types that only newer versions of the schema have. The default is `.fail`.
  public var newerTypes = NewerTypes.fail
  /// The keys of personal fields, as made by the product `AnnalsKeys`. The default is none.
  ///
  /// A store whose plan has personal fields does not open without keys; the error has code `keyMissing`.
  public var keys: (any PersonalDataKeys)? = Self.keysOfProgram?.make()
  /// The keys for each store that a command opens.
  @TaskLocal package static var keysOfProgram: KeysOfProgram?
  /// The time to wait for another process to finish writing before an append, or an open that activates,
  /// fails with `busy`. The default is ten seconds. Writers take turns, so only a stopped process delays
  /// others for long.
  public var lockTimeout = Duration.seconds(10)
  /// The memory for heads of streams, in bytes, which saves looking them up on disk. The default is 64 MiB.
  ///
  /// The default is enough for the heads of 301,000 streams, with their indexes and the lists of entries that
  /// wait to be merged. Heads of other streams are looked up. Memory is allocated as streams are used. It
  /// exceeds this value by at most 5 %, however many streams are new: appends wait if heads are not written
  /// to disk in time.
  ///
  /// Two amounts are not included. During a merge, the names of new streams are in memory: 84,000 of them by
  /// default. A single call that begins more than 10,000 streams takes about 200 bytes for each of them.
  ///
  /// Values below 800 KiB count as 800 KiB. The first opener in a process sets the value for all.
  public var headMemory = 64 << 20
  /// The maximum size in bytes of the encoded events that wait to be written. The default is 64 MiB.
  ///
  /// Further calls to `append` wait for space, in order of arrival, before their events are encoded. Each
  /// commit takes the waiting calls, so at most as many bytes again are being written. A single larger call
  /// is admitted when nothing else waits, and a blocking call when no encoded call does, because a task that
  /// was admitted before may need its thread. The first opener in a process sets the value for all.
  public var queueMemory = 64 << 20
  /// The receiver of values about the work of the store; `nil` for none, which costs nothing.
  ///
  /// Values about commits, views and untyped reads go to the observer of the first opener of a store in a
  /// process. All others go to the observer of the store value that did the work.
  public var observer: (any StoreObserver)?
  /// When the newest heads are merged into the rows on disk.
  package var mergeInterval = HeadMerge.Interval()
  /// The clock for the times of commits, for tests. The first opener in a process decides.
  package var clock: @Sendable () -> Timestamp = { .now }
  /// The entries of ``mergeInterval``, for test programs with few entries.
  package var entriesPerMerge: UInt64 {
    get { mergeInterval.entries }
    set { mergeInterval.entries = newValue }
  }
  /// The id of a log that is created; `nil` for a new one.
  package var newLogID: UUID?
  /// The options that upper layers add, one value of each type.
  private var added: [ObjectIdentifier: any Sendable] = [:]

  /// Options that read and append, creating the store if it is missing, with payloads of up to 64 MiB.
  public init(
    access: Access = .readWrite, creation: Creation = .ifMissing, trust: Trust = .own,
    maximumPayload: Int = 64 << 20
  ) {
    self.access = access
    self.creation = creation
    self.trust = trust
    self.maximumPayload = maximumPayload
  }
}

extension StoreOptions {
  /// An option that an upper layer adds, by its type; `nil` if it was not set.
  package subscript<Value: Sendable>(_ type: Value.Type) -> Value? {
    get { added[ObjectIdentifier(type)] as? Value }
    set { added[ObjectIdentifier(type)] = newValue }
  }
}
