public import AnnalsCoding
package import LMDB

/// How a store is opened.
public struct StoreOptions: Sendable {
  /// What the opener may do.
  public enum Access: Sendable {
    /// Read and append.
    case readWrite
    /// Read only. No byte of the data is changed; lock files, which name their holder, and LMDB's table of readers are, and are created
    /// where they are missing. On a read-only file system nothing is.
    case readOnly
  }

  /// What happens where there is no store.
  public enum Creation: Sendable {
    /// A store is created if nothing is there.
    case ifMissing
    /// A missing store is an error.
    case never
    /// A store that is there already is an error.
    case always
  }

  /// Whose bytes the opener takes.
  public enum Trust: Sendable {
    /// The file was written by this library on this machine: its two meta pages are checked.
    case own
    /// The file may have been damaged, or come from elsewhere: every page is checked before LMDB sees it, because a damaged one
    /// can end the process. This reads the whole file. Nobody is kept from appending meanwhile.
    case nobody
  }

  /// When an append is answered.
  public enum Durability: Sendable {
    /// When the disk has it: no power cut takes it back.
    case full
    /// When the disk has its entries: a power cut can take back the last commit of the log, as a whole, and never one before it. A crash of the
    /// process takes nothing back.
    case relaxed
  }

  /// What readers of an ``EventStore`` do at an entry that cannot be decoded or upcast.
  public enum Unreadable: Sendable {
    /// They stop there with the error.
    case fail
    /// They report the entry and go on behind it; of its parts none is delivered.
    ///
    /// Nothing is changed in the store, and every reader that comes by reports it again. What does not come from the entry alone still stops them: damage, and a
    /// version or a context that the plan lacks.
    ///
    /// An open with ``StoreOptions/activating`` passes over such entries as well: `prepare` is not given
    /// them, and what it works out is frozen. A `Fold` ends the groups before such an entry in its stream,
    /// and takes what the entry becomes once it can be read as a group of its own.
    ///
    /// The closure is called where the reader is, while it holds a snapshot: it should be quick, and must not read from the same snapshot.
    case quarantine(@Sendable (QuarantinedEntry) -> Void)
  }

  /// What readers of an ``EventStore`` do at an event of a type that only newer versions of the schema have.
  public enum NewerTypes: Sendable {
    /// They stop there with code `newerSchema`; a store that has any does not open.
    case fail
    /// They go on behind it, and count it in ``EventStore/skipped``. Such a program lets newer ones write types that it does not know.
    case skip
  }

  /// What the opener may do.
  public var access: Access
  /// What happens where there is no store. Opening for reading never creates one.
  public var creation: Creation
  /// Whose bytes the opener takes.
  public var trust: Trust
  /// The tables whose pages are checked where nobody is trusted, for an opener that uses no others; `nil` for all.
  var scope: [String]?
  /// What keeps processes from each other's work; all but in tests that show what each guard is for.
  package var guards = EnvironmentOptions.Guards.all
  /// The most bytes that a payload may have: 1 to 100 MiB.
  public var maximumPayload: Int
  /// When an append is answered; ``Durability/full`` by default.
  public var durability = Durability.full
  /// How the store recognises an append call whose events it has already, by the ids of the events.
  ///
  /// It is decided when the store is created, by default as `.window(64)`, and kept in it. Opening a store
  /// that recognises ids in another way fails with `wrongUse`; `nil` opens every store.
  /// ``EventLog/setIdempotency(_:progress:)`` and `annals set idempotency` change it later.
  public var idempotency: Idempotency?
  /// Whether the open may work out and keep what stages need to know of the whole log, and take over events without a version, where a plan has either; it reads
  /// the log then. Without it such a store does not open: `requiresActivation`.
  public var activating = false
  /// The fields that may be lost although no version of the plan declares them, by their
  /// ``UndeclaredField/name``: `TYPE.KEY` or `TYPE.outer.inner`. None by default.
  ///
  /// Taking over events without a version, and every migration pass of this opener, fail with code
  /// `undeclaredFields` where payloads have other such fields. Names that
  /// the store does not have do no harm.
  public var dropFields: Set<String> = []
  /// When older entries are rewritten in the plan's current version; never by itself by default. It needs a store that is open for writing, but for
  /// ``MigrationMode/refuse``.
  public var migration = MigrationMode.onRead
  /// What readers do at an entry that cannot be decoded or upcast; they fail by default. It is a matter of this opener alone.
  public var unreadable = Unreadable.fail
  /// What readers do at an event of a type that only newer versions of the schema have; they fail by default.
  public var newerTypes = NewerTypes.fail
  /// How long an append, or an open that activates, waits while another process is writing, before it fails with code `busy`; ten seconds by default.
  /// Writers take turns, so only one that is stopped keeps others waiting for long.
  public var lockTimeout = Duration.seconds(10)
  /// The memory for heads of streams that need not be looked up on disk, in bytes; 64 MiB by default.
  ///
  /// The default is enough for the heads of 298,000 streams, with their indexes and the lists of entries that
  /// wait to be merged. Heads of other streams are looked up. Memory is taken as streams are used. It exceeds
  /// this value by 5 % at most, however many streams are new: appends wait where heads are not written to
  /// disk in time. Two things come on top. While heads are merged, the names of new streams are in memory:
  /// 100,000 of them by default. A single call that begins more than 13,000 streams takes about 200 bytes for
  /// each of them. Values below 640 KiB count as 640 KiB. The first opener of a store in a process decides.
  public var headMemory = 64 << 20
  /// The most bytes of encoded events that wait to be written; 64 MiB by default.
  ///
  /// Further calls to `append` wait for room before their events are encoded, in the order in which they
  /// came. Each commit takes the calls that wait, so at most as many bytes again are being written. A single
  /// larger call is let in when nothing else waits. The first opener of a store in a process decides.
  public var queueMemory = 64 << 20
  /// When the newest heads are merged into the rows on disk.
  var mergeInterval = HeadMerge.Interval()
  /// The entries of ``mergeInterval``, for programs of the tests that have few.
  package var entriesPerMerge: UInt64 {
    get { mergeInterval.entries }
    set { mergeInterval.entries = newValue }
  }
  /// How much of the log views take at a time; less in programs of the tests that have few entries. The first opener of a view in a process decides.
  package var viewPace = ViewPace()

  /// Read and append, creating the store if it is missing, with payloads of up to 64 MiB.
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
