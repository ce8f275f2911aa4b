internal import CNATS

/// A call of the client library that did not succeed.
struct NATSFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kinds of failures that lead to different steps.
  enum Kind: Equatable, Sendable {
    /// No answer, no leader, no connection, or an error that may pass.
    case passing
    /// The servers refuse this user, or the connection is not encrypted as they wish.
    case refusedUser
    /// The message is longer than the servers take.
    case tooLong
    /// There is no stream of this name.
    case noStream
    /// The stream has no such message.
    case noMessage
  }

  let kind: Kind
  let description: String

  init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }

  /// Creates the failure of a call.
  ///
  /// - Parameters:
  ///   - status: The library's status, which is not that of success.
  ///   - code: The server's error code; 0 for none.
  ///   - text: The server's words; `nil` for those of the library.
  init(_ status: natsStatus, code: UInt32 = 0, text: String? = nil) {
    let own = unsafe String(cString: natsStatus_GetText(status))
    let words = text ?? own
    description = code == 0 ? words : "\(words) (\(code))"
    kind = Self.kind(status, code)
  }

  private static func kind(_ status: natsStatus, _ code: UInt32) -> Kind {
    // By the server's number first: the library has one status for many of them.
    switch code {
    case JSStreamMessageExceedsMaximumErr.rawValue: return .tooLong
    case JSStreamNotFoundErr.rawValue: return .noStream
    case JSNoMessageFoundErr.rawValue, JSSequenceNotFoundErr.rawValue: return .noMessage
    default: break
    }
    switch status {
    case NATS_MAX_PAYLOAD: return .tooLong
    case NATS_CONNECTION_AUTH_FAILED, NATS_SECURE_CONNECTION_REQUIRED, NATS_SECURE_CONNECTION_WANTED,
      NATS_NOT_PERMITTED:
      return .refusedUser
    default: return .passing
    }
  }

  /// Throws unless `status` is that of success.
  static func check(_ status: natsStatus, _ code: jsErrCode = jsErrCode(rawValue: 0)) throws(NATSFailure) {
    guard status == NATS_OK else { throw NATSFailure(status, code: code.rawValue) }
  }
}
