public import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The options of a migration pass.
public struct MigrationOptions: Sendable {
  /// The policy for entries that a rule fails on.
  public enum Unreadable: Sendable {
    /// Ends the pass, and leaves the store unchanged.
    case fail
    /// Copies the entry unchanged, and marks and counts it. Readers meet the same error there as before.
    case quarantine
  }

  /// The treatment of a pass that was interrupted.
  public enum Unfinished: Sendable {
    /// Continues it, if there is one. It begins again if it cannot go on, such as after an activation, the
    /// first use of a feature or, if it moves streams, a truncation.
    case resume
    /// Continues it; fails with code `wrongUse` if there is none, and with `verifyFailed` if it cannot go on.
    /// What it has done stays in both cases.
    case mustBeThere
    /// Removes its files, and begins again.
    case discard
  }

  /// The entries of the older generation that are upcast again before the switch.
  ///
  /// In both cases the whole new generation is read back, and must deliver the events that the copy recorded
  /// (docs/decisions/0025-a-sampled-pass-upcasts-once.md).
  public enum Comparison: Sendable {
    /// All of them: a rule that returns another result when it is repeated is found at any entry.
    case full
    /// 64 of each 1,024, and the first of each type and version. A rule that differs only at other entries
    /// is not found, and the pass takes less time.
    case sampled
  }

  /// The maximum number of entries copied in a second, at least 1; `nil` for no limit.
  public var rate: Int?
  /// The number of threads on which entries are decoded, upcast and encoded. The default is one for each
  /// processor, at most 8.
  public var threads: Int?
  /// Whether the store refuses appends after the switch, with code `appendsSuspended`, until the new
  /// generation is accepted or rolled back.
  public var isHolding = false
  /// The policy for entries that a rule fails on. The default is `.fail`.
  public var unreadable = Unreadable.fail
  /// The entries of the older generation that are upcast again before the switch. The default is `.full`.
  public var comparison = Comparison.full
  /// The treatment of a pass that was interrupted. The default is `.resume`.
  public var unfinished = Unfinished.resume
  /// Whether to run everything without writing: the report describes the effects of a real pass.
  public var isRehearsal = false
  /// The undeclared fields that the pass may lose, by their ``UndeclaredField/name``: `TYPE.KEY` or
  /// `TYPE.outer.inner`. The default is none, so a pass fails with code `undeclaredFields` if stored payloads
  /// have any. Names that the store does not have are ignored.
  public var dropFields: Set<String> = []
  /// The file for values that stored events lose, with a line of JSON for each entry that loses a value;
  /// `nil` for none.
  ///
  /// The file is complete and on disk before the switch. If something with its name exists, the pass fails
  /// with code `cannotCreate`. An unfinished pass is continued only with the archive that it was begun with.
  /// A rollback keeps the file; discarding a pass removes its archive. The file's form is in
  /// docs/migration-fields.md.
  public var archive: URL?
  /// Whether to encrypt values of personal fields again with their person's newest key if they have an older
  /// key. The default is `false`: a value that is not changed keeps its key.
  ///
  /// With it, a pass runs even if no entry is of an older version, as long as the store may have encrypted
  /// values. An open runs no pass for this reason only. The pass needs a plan, and a store that is opened
  /// with keys. Events that a stage keeps as they are stored, and quarantined ones, keep their keys.
  public var renewsKeys = false
  /// How long content is kept after it was attached while no event refers to it. The default is a day.
  ///
  /// A pass removes content to which no event refers. A program attaches content before it appends the event,
  /// so new content may only seem unused.
  public var attachmentGrace = Duration.seconds(86_400)
  /// Called with the outcome of the pass, whether or not anything waits for it.
  public var observer: (@Sendable (Result<MigrationReport, AnnalsError>) -> Void)?
  /// Whether the leftovers of another plan's pass are removed without asking: a program that was updated
  /// since has nobody to ask.
  package var discardsOthers = false
  /// Is called at each named point, so that tests can end the process there.
  package var atPoint: (@Sendable (PassPoint) -> Void)?
  /// The maximum number of entries in a commit that does not wait for the disk: 5,000, except in tests.
  package var batch = 5_000
  /// The maximum number of entries in a durable commit, in addition to its limit in bytes. Only tests limit
  /// it.
  package var durableBatch = Int.max
  /// The boot of the operating system that the pass assumes; tests of power losses name another one.
  package var boot: @Sendable () -> String? = { Boot.id }

  /// Creates the options of a pass at full speed that ends at the first failure.
  public init() {}
}

/// A place in a pass where tests end the process.
package enum PassPoint: String, CaseIterable, Sendable {
  case begin, named, tables, created, contexts, batch, batchCommitted, copied, headsBatch, headsCopied,
    merged, synced, closed
  case reopened, compared, verified, round, locked, lastRound, live, sealed, unlocked, current, done
  case removing, removed, cleared
}
