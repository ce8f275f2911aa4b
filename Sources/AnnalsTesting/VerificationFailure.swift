public import Annals

/// The error for a stage whose `verify` threw.
public struct VerificationFailure: Error {
  /// The older version of the stage.
  public let from: SchemaVersion
  /// The newer version of the stage.
  public let to: SchemaVersion
  /// The error that was thrown.
  public let underlying: any Error
}

extension VerificationFailure: CustomStringConvertible {
  /// The stage and the message of its `verify`.
  public var description: String { "the 'verify' of the stage from \(from) to \(to) threw: \(underlying)" }
}
