import Annals

/// The reason that the example stopped, with the exit status (sysexits.h).
struct Failure: Error {
  enum Status: Int32 {
    case usage = 64
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case inputOutput = 74
    case tryAgain = 75
    case noPermission = 77
  }

  let status: Status
  let message: String
  let underlying: (any Error)?

  init(_ status: Status, _ message: String, underlying: (any Error)? = nil) {
    self.status = status
    self.message = message
    self.underlying = underlying
  }

  /// Creates the failure for an error of the store.
  init(_ error: AnnalsError) {
    let status: Status =
      switch error.code {
      case .noSuchStore: .noInput
      case .cannotCreate: .cannotCreate
      case .conflict, .busy, .appendsSuspended, .tooManyReaders: .tryAgain
      case .readOnly, .permission: .noPermission
      case .diskFull, .notCommitted, .outcomeUnknown, .storeReplaced, .lockFileDamaged, .inputOutput:
        .inputOutput
      default: .badData
      }
    self.init(status, "\(error)", underlying: error)
  }
}
