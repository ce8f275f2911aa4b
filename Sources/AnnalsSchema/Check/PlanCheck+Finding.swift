internal import AnnalsCoding

extension PlanCheck {
  /// Something wrong with a plan, or worth knowing about it.
  public struct Finding: Hashable, Sendable {
    /// How bad it is.
    public enum Severity: String, Hashable, Sendable, CaseIterable {
      /// The plan must not ship.
      case error
      /// It is probably not meant.
      case warning
      /// It is good to know.
      case note
    }

    /// How bad it is.
    public let severity: Severity
    /// What it is, and what to write.
    public let message: String

    package init(_ severity: Severity, _ message: String) {
      self.severity = severity
      self.message = message
    }
  }
}

extension PlanCheck.Finding: CustomStringConvertible {
  /// The severity and the message.
  public var description: String { "\(severity.rawValue): \(message)" }
}
