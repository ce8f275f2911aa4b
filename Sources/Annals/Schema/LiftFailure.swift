/// Why an entry of one stored type and version did not become events of the newest version.
struct LiftFailure: Error, Sendable {
  /// The version that the payload was stored under.
  let version: SchemaVersion
  /// The record name that the payload was stored under.
  let type: String
  /// What failed: the decoding, or one rule.
  let failure: StepFailure
}

extension LiftFailure {
  /// The error below this one: of the decoder, or of the rule that threw.
  var cause: any Error {
    switch failure {
    case .undecodable(let cause): cause
    case .ruleThrew(_, let cause): cause
    case .groupUnreadable(_, let cause): cause
    case .tooManyParts, .unexpectedPart, .groupIncomplete, .retainedEvent: failure
    }
  }
}

extension LiftFailure: CustomStringConvertible {
  /// The failure in words, without anything of the payload.
  var description: String { "'\(type)' of version \(version): \(failure)" }
}
