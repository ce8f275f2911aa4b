public import AnnalsCoding
internal import LMDB

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// How a migration pass is done.
public struct MigrationOptions: Sendable {
  /// What a pass does at an entry that a rule fails on.
  public enum Unreadable: Sendable {
    /// It ends there, and the store is as it was.
    case fail
    /// It copies the entry as it is, marks and counts it. Readers meet the same error there as before.
    case quarantine
  }

  /// What is done with a pass that was interrupted.
  public enum Unfinished: Sendable {
    /// It is continued if there is one.
    case resume
    /// It is continued; where there is none the pass fails.
    case mustBeThere
    /// What it has left is removed, and the pass begins anew.
    case discard
  }

  /// The most entries that are copied in a second; `nil` for as many as the machine can. At least 1.
  public var rate: Int?
  /// On how many threads entries are decoded, lifted and encoded; by default one for each processor, at most 8.
  public var threads: Int?
  /// Whether the store refuses appends after the switch, with code `held`, until somebody accepts the new generation or rolls it back.
  public var isHolding = false
  /// What is done at an entry that a rule fails on; the pass ends there by default.
  public var unreadable = Unreadable.fail
  /// What is done with a pass that was interrupted; it is continued by default.
  public var unfinished = Unfinished.resume
  /// Whether everything is done but written: the report tells what a pass would do.
  public var isRehearsal = false
  /// The fields that the pass may lose although no version of the plan declares them, by their
  /// ``UndeclaredField/name``: `TYPE.KEY` or `TYPE.outer.inner`. None by default, so
  /// that a pass fails with code `undeclaredFields` where stored payloads have any. Names that the store does
  /// not have do no harm.
  public var dropFields: Set<String> = []
  /// The file that gets what stored events lose, a line of JSON for each entry that loses something; `nil` for none.
  ///
  /// The file is complete and on disk before the switch. Nothing may have its name: the pass fails with code
  /// `cannotCreate` then. An unfinished pass is continued only with the archive that it was begun with. A rollback
  /// keeps the file; a pass that is thrown away takes its archive with it. The file's form is in docs/migration.md.
  public var archive: URL?
  /// Is told how the pass ended, whoever waits for it.
  public var observer: (@Sendable (Result<MigrationReport, AnnalsError>) -> Void)?
  /// Whether what another plan's pass has left is removed unasked: a program that was updated since has nobody to ask.
  var discardsOthers = false
  /// Is called at each named point, so that tests can end the process there.
  package var atPoint: (@Sendable (PassPoint) -> Void)?
  /// Entries at most in a commit that does not wait for the disk; 5,000 but in tests.
  package var batch = 5_000
  /// Entries a durable commit at most, beside its limit in bytes; as many as that lets but in tests.
  package var durableBatch = Int.max
  /// The run of the operating system that the pass takes itself to be in; tests of power cuts name another one.
  package var boot: @Sendable () -> String? = { Boot.id }

  /// A pass at full speed that ends at the first failure.
  public init() {}
}

/// A place in a pass where tests end the process.
package enum PassPoint: String, CaseIterable, Sendable {
  case begin, named, tables, created, batch, batchCommitted, copied, headsBatch, headsCopied, merged, synced,
    closed
  case reopened, compared, verified, round, locked, lastRound, live, sealed, unlocked, current, done
  case removing, removed, cleared
}
