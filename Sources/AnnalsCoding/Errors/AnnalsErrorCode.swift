extension AnnalsError {
  /// The kind of an error. New kinds may be added; compare with the constants.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    private enum Base: String {
      case conflict, rejected, streamMoved, duplicateID, partialDuplicate, invalidName, tooLarge, malformed,
        noSuchStore,
        cannotCreate, notAStore, incomplete, foreign, damaged, formatVersion, needsNewer,
        newerSchema, superseded, unrepresentable, storeTooOld, invalidPlan, shapeChanged, noPath,
        requiresActivation, requiresPass, needsPlan, ruleFailed, verifyFailed, collision, busy,
        appendsSuspended, tooManyReaders, readOnly, permission, diskFull, notCommitted, outcomeUnknown,
        storeReplaced, lockFileDamaged, usedAfterFork, inputOutput, cancelled, wrongUse,
        checkpointMismatch, undeclaredFields, streamClosed, noSuchStream, missingAttachment,
        keyMissing, subjectForgotten, viewLags, unavailable, diverged, needsCluster
    }
    private let base: Base

    private init(_ base: Base) {
      self.base = base
    }

    /// The code's name as the command prints it.
    public var description: String { base.rawValue }

    /// One or more expectations of an append did not hold; `details.violations` lists all of them.
    public static let conflict = Code(.conflict)
    /// An inline projection refused an event of an append; nothing of the call was stored.
    public static let rejected = Code(.rejected)
    /// The entries of a stream have moved.
    ///
    /// An append expects something of a stream whose entries have moved to others, which `details.movedTo`
    /// names; or the append has ids and may have been stored before the entries moved; or a migration pass
    /// has replaced a stream's entries while the stream was read page by page.
    public static let streamMoved = Code(.streamMoved)
    /// The stream is closed: it takes no events until it is reopened.
    public static let streamClosed = Code(.streamClosed)
    /// The stream has never had an event, so there is nothing to close, truncate or erase.
    public static let noSuchStream = Code(.noSuchStream)
    /// An event refers to an attachment whose content is not in the store.
    public static let missingAttachment = Code(.missingAttachment)
    /// An event id occurs twice in one call for the same stream.
    public static let duplicateID = Code(.duplicateID)
    /// Some events of a call with ids are already in the stream and others are not.
    public static let partialDuplicate = Code(.partialDuplicate)
    /// A stream or type name is empty, has a NUL or has more than 500 bytes.
    public static let invalidName = Code(.invalidName)
    /// A payload, a metadata map or a call exceeds its limit.
    public static let tooLarge = Code(.tooLarge)
    /// Input is malformed: JSON, CBOR, a time or a number.
    public static let malformed = Code(.malformed)
    /// There is no store at this path.
    public static let noSuchStore = Code(.noSuchStore)
    /// A store could not be created at this path.
    public static let cannotCreate = Code(.cannotCreate)
    /// The file or directory at this path is not a store.
    public static let notAStore = Code(.notAStore)
    /// A file of the store is missing.
    public static let incomplete = Code(.incomplete)
    /// A file belongs to another store.
    public static let foreign = Code(.foreign)
    /// The store's bytes differ from those that were written.
    public static let damaged = Code(.damaged)
    /// This library does not read the store's format.
    public static let formatVersion = Code(.formatVersion)
    /// The store needs a feature that this library does not know.
    public static let needsNewer = Code(.needsNewer)
    /// The store has events of a schema version newer than the plan's, so the plan cannot read them, or
    /// cannot append.
    public static let newerSchema = Code(.newerSchema)
    /// The store has moved to a version that this program cannot write.
    public static let superseded = Code(.superseded)
    /// Programs of an older version still need every event in a form of their version, and this event has no
    /// such form.
    public static let unrepresentable = Code(.unrepresentable)
    /// The store has events older than the plan's oldest version.
    public static let storeTooOld = Code(.storeTooOld)
    /// The plan is invalid.
    public static let invalidPlan = Code(.invalidPlan)
    /// A shipped version of a record was edited.
    public static let shapeChanged = Code(.shapeChanged)
    /// Stored events have no path to the plan's current version; `details.kinds` lists them.
    public static let noPath = Code(.noPath)
    /// A stage needs a context, or an inline projection must be folded. Open the store again, with
    /// `activating` if the message says so.
    public static let requiresActivation = Code(.requiresActivation)
    /// A stage can only be run by a migration pass.
    public static let requiresPass = Code(.requiresPass)
    /// An adoption or a migration pass would lose stored fields that the plan does not declare;
    /// `details.fields` lists them.
    public static let undeclaredFields = Code(.undeclaredFields)
    /// The operation needs the plan that the store was written with.
    public static let needsPlan = Code(.needsPlan)
    /// A rule threw, or returned an invalid result.
    public static let ruleFailed = Code(.ruleFailed)
    /// A stage's verification refused the result of a pass, or both generations differ.
    public static let verifyFailed = Code(.verifyFailed)
    /// A rule made an id or a stream that already exists.
    public static let collision = Code(.collision)
    /// Another process holds the lock, or decisions of this process hold the turn, for longer than the
    /// timeout.
    public static let busy = Code(.busy)
    /// The events of an append are stored, but a view has not reached them.
    public static let viewLags = Code(.viewLags)
    /// The store refuses appends until a switch is accepted or rolled back.
    public static let appendsSuspended = Code(.appendsSuspended)
    /// All reader slots are taken.
    public static let tooManyReaders = Code(.tooManyReaders)
    /// The store was opened for reading only.
    public static let readOnly = Code(.readOnly)
    /// This user does not have permission to open the file.
    public static let permission = Code(.permission)
    /// The disk has no space for the write; nothing was written.
    public static let diskFull = Code(.diskFull)
    /// The write failed and was not stored.
    public static let notCommitted = Code(.notCommitted)
    /// The write failed, and may or may not have been stored.
    public static let outcomeUnknown = Code(.outcomeUnknown)
    /// A file of the store was replaced or removed while it was open.
    public static let storeReplaced = Code(.storeReplaced)
    /// A lock file was damaged or removed while it was open.
    public static let lockFileDamaged = Code(.lockFileDamaged)
    /// The store was opened before this process was forked.
    public static let usedAfterFork = Code(.usedAfterFork)
    /// A read or a write of a file failed.
    public static let inputOutput = Code(.inputOutput)
    /// The task was cancelled; nothing was written.
    public static let cancelled = Code(.cancelled)
    /// A checkpoint does not match the log; the underlying error is a ``CheckpointMismatch``.
    public static let checkpointMismatch = Code(.checkpointMismatch)
    /// The store has encrypted fields, and the opener has no keys, or the file of keys is missing, belongs to
    /// another store or lacks a key.
    public static let keyMissing = Code(.keyMissing)
    /// An event has personal data of a person whose key was dropped; nothing of the call was stored.
    public static let subjectForgotten = Code(.subjectForgotten)
    /// The shared log of a cluster did not answer in time. The message says whether an append may still be
    /// stored.
    public static let unavailable = Code(.unavailable)
    /// The store of this machine differs from the stores of the cluster's other machines; `details.position`
    /// is its last entry at the comparison.
    public static let diverged = Code(.diverged)
    /// The store belongs to a cluster, and takes appends only from programs that open it as a part of that
    /// cluster.
    public static let needsCluster = Code(.needsCluster)
    /// The call contradicts itself or the store's state.
    public static let wrongUse = Code(.wrongUse)
  }
}
