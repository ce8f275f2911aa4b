package import Annals

/// The exit statuses of a command (after sysexits.h of BSD).
package enum ExitStatus {
  /// Done.
  package static let success: Int32 = 0
  /// A check found a problem, or the work failed.
  package static let failure: Int32 = 1
  /// The command line is invalid.
  package static let usage: Int32 = 64
  /// The data is bad.
  package static let data: Int32 = 65
  /// There is no such store.
  package static let noStore: Int32 = 66
  /// The store cannot be created.
  package static let cannotCreate: Int32 = 73
  /// Input or output failed.
  package static let inputOutput: Int32 = 74
  /// Something is locked; try again.
  package static let tryAgain: Int32 = 75
  /// This user lacks permission.
  package static let permission: Int32 = 77

  /// The description of the statuses.
  package static let help = """
    Exit status: 0 done; 1 the check found something, or the work failed; 64 wrong usage; 65 bad data; 66 no
    such store; 73 cannot create; 74 input or output failed; 75 locked, try again; 77 no permission.
    """

  /// Returns the status for an error with a code.
  package static func of(_ code: AnnalsError.Code) -> Int32 {
    statuses[code] ?? failure
  }

  /// Returns the status for an error.
  static func of(_ error: AnnalsError) -> Int32 {
    // An invalid name is in a line of an input, or a rule gave it to an entry. Any other was typed.
    let isTyped = error.details.line == nil && error.details.position == nil
    return error.code == .invalidName && isTyped ? usage : of(error.code)
  }

  private static let statuses: [AnnalsError.Code: Int32] = [
    .conflict: failure, .rejected: failure, .streamMoved: failure, .duplicateID: failure,
    .partialDuplicate: failure, .streamClosed: failure, .noSuchStream: failure,
    .subjectForgotten: failure, .ruleFailed: failure,
    .verifyFailed: failure, .collision: failure, .cancelled: failure,
    .wrongUse: usage,
    .invalidName: data, .tooLarge: data, .malformed: data, .notAStore: data, .incomplete: data,
    .foreign: data, .damaged: data, .formatVersion: data, .needsNewer: data, .newerSchema: data,
    .superseded: data, .unrepresentable: data, .storeTooOld: data, .invalidPlan: data, .shapeChanged: data,
    .noPath: data,
    .requiresActivation: data, .requiresPass: data, .undeclaredFields: data, .needsPlan: data,
    .checkpointMismatch: data, .missingAttachment: data,
    .keyMissing: data, .diverged: data, .needsCluster: data,
    .noSuchStore: noStore,
    .cannotCreate: cannotCreate,
    .diskFull: inputOutput, .notCommitted: inputOutput, .outcomeUnknown: inputOutput,
    .storeReplaced: inputOutput, .lockFileDamaged: inputOutput, .usedAfterFork: inputOutput,
    .inputOutput: inputOutput,
    .busy: tryAgain, .viewLags: tryAgain, .appendsSuspended: tryAgain, .tooManyReaders: tryAgain,
    .unavailable: tryAgain,
    .readOnly: permission, .permission: permission,
  ]
}
