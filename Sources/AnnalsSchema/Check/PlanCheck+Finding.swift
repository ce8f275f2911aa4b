internal import AnnalsCoding

extension PlanCheck {
  /// A problem of a plan, or a remark about it.
  public struct Finding: Hashable, Sendable {
    /// The severity of a finding.
    public enum Severity: String, Hashable, Sendable, CaseIterable {
      /// The plan must not ship.
      case error
      /// The finding is probably a mistake.
      case warning
      /// The finding is information only.
      case note
    }

    /// The severity.
    public let severity: Severity
    /// The finding, and what to write.
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
