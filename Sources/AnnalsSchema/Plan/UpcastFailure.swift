package import AnnalsCoding

/// The reason why an entry of one stored type and version could not be upcast to the newest version.
package struct UpcastFailure: Error, Sendable {
  /// The version that the payload was stored under.
  package let version: SchemaVersion
  /// The record name that the payload was stored under.
  package let type: String
  /// The failure: of the decoding, or of one rule.
  package let failure: StepFailure
}

extension UpcastFailure {
  /// The underlying error: of the decoder, or of the rule that threw.
  package var cause: any Error {
    switch failure {
    case .undecodable(let cause): cause
    case .ruleThrew(_, let cause): cause
    case .groupUnreadable(_, let cause): cause
    case .keysUnavailable(let cause): cause
    case .tooManyParts, .unexpectedPart, .groupIncomplete, .retainedEvent: failure
    }
  }
}

extension UpcastFailure: CustomStringConvertible {
  /// The failure as text, without anything of the payload.
  package var description: String { "'\(type)' of version \(version): \(failure)" }
}

extension AnnalsError {
  /// Creates the error for an entry that could not be decoded or upcast.
  package init(_ failure: UpcastFailure, _ origin: Origin) {
    // The entry is not the cause, so it is not set aside.
    if let unreadable = failure.cause as? ContextUnreadable {
      self = unreadable.error
      return
    }
    var details = Details()
    details.position = origin.position
    details.stream = origin.stream
    details.revision = origin.revision
    details.type = failure.type
    details.version = failure.version
    if case .groupUnreadable(_, let error) = failure.failure, error.code != .ruleFailed,
      error.code != .malformed
    {
      // Damage is reported with its own place, and changes by another process are reported unchanged.
      self = error
      return
    }
    if case .keysUnavailable(let error) = failure.failure {
      self.init(
        error.code, "position \(origin.position), stream '\(origin.stream)': \(error.message)",
        details: details, underlying: error.underlying)
      return
    }
    var code = failure.cause is ContextMissing ? Code.requiresActivation : Code.ruleFailed
    if case .undecodable(let coding) = failure.failure {
      code = .malformed
      details.offset = coding.offset
    }
    if code == .requiresActivation {
      self.init(
        code,
        "position \(origin.position), stream '\(origin.stream)': a '\(failure.type)' of version \(failure.version) is read with the context of a stage, which this store did not have when it was opened: open it again; if nobody has activated the stage yet, run 'activate' first, or open with 'activating'",
        details: details, underlying: failure.cause)
      return
    }
    self.init(
      code, "position \(origin.position), stream '\(origin.stream)', revision \(origin.revision): \(failure)",
      details: details, underlying: failure.cause)
  }
}
