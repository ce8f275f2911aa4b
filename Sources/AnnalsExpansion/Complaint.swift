import SwiftDiagnostics
import SwiftSyntax

/// A mistake in the input of a macro, with a correction.
struct Complaint: DiagnosticMessage {
  let message: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID { MessageID(domain: "Annals", id: "schema") }
}

extension Diagnostic {
  /// Creates the complaint `text` about `node`.
  init(_ node: some SyntaxProtocol, _ text: String, fixes: [FixIt] = []) {
    self.init(node: Syntax(node), message: Complaint(message: text), fixIts: fixes)
  }

  /// Creates a warning `text` about `node`.
  init(warning node: some SyntaxProtocol, _ text: String, fixes: [FixIt] = []) {
    self.init(node: Syntax(node), message: Complaint(message: text, severity: .warning), fixIts: fixes)
  }
}
