extension AnnalsError {
  /// What a program can do about an error without a person.
  public enum Recovery: String, Hashable, Sendable {
    /// Make the same call again: nothing was written.
    case retry
    /// Open the store again.
    case reopen
    /// Open the store with ``StoreOptions/activating``, which reads the whole log once.
    case activate
    /// Open the store for reading only.
    case openReadOnly
    /// Move the store aside with ``EventLog/resetMovingAside(_:)`` and begin a new one. Nothing is ever deleted.
    case moveAside
  }

  /// What a program can do about the error without a person, the mildest first; empty where only a person can.
  public var recovery: [Recovery] {
    switch code {
    case .busy, .tooManyReaders, .diskFull, .notCommitted, .cancelled: [.retry]
    case .storeReplaced, .outcomeUnknown, .lockFileDamaged: [.reopen]
    case .requiresActivation: [.activate]
    case .readOnly, .held, .needsNewer, .superseded: [.openReadOnly]
    case .newerSchema, .storeTooOld, .noPath, .damaged, .incomplete, .foreign, .formatVersion: [.moveAside]
    default: []
    }
  }
}
