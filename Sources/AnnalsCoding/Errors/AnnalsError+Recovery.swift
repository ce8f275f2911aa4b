extension AnnalsError {
  /// A step by which a program can recover from an error without human help.
  public enum Recovery: String, Hashable, Sendable {
    /// Make the same call again: nothing was written.
    case retry
    /// Release every value of the store in this process, then open it again.
    case reopen
    /// Open the store with ``StoreOptions/activating``, which reads the whole log once.
    case activate
    /// Open the store for reading only.
    case openReadOnly
    /// Move the store aside with ``EventLog/resetMovingAside(_:)`` and create a new one. Nothing is ever
    /// deleted.
    case moveAside
  }

  /// The steps by which a program can recover without human help, the mildest first; empty if only a person
  /// can.
  public var recovery: [Recovery] {
    switch code {
    case .busy, .tooManyReaders, .diskFull, .notCommitted, .cancelled: [.retry]
    case .storeReplaced, .outcomeUnknown, .lockFileDamaged: [.reopen]
    case .requiresActivation: [.activate]
    case .readOnly, .appendsSuspended, .needsNewer, .superseded, .needsCluster: [.openReadOnly]
    case .newerSchema, .storeTooOld, .noPath, .damaged, .incomplete, .foreign, .formatVersion: [.moveAside]
    default: []
    }
  }
}
