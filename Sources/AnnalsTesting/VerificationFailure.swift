public import Annals

/// A stage's `verify` threw.
public struct VerificationFailure: Error {
  /// The older version of the stage.
  public let from: SchemaVersion
  /// The newer version of the stage.
  public let to: SchemaVersion
  /// What was thrown.
  public let underlying: any Error
}

extension VerificationFailure: CustomStringConvertible {
  /// The stage and what its `verify` says.
  public var description: String { "the 'verify' of the stage from \(from) to \(to) threw: \(underlying)" }
}
