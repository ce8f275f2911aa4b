import SwiftDiagnostics
import SwiftSyntax

/// A mistake in what a macro was given, with what to write instead.
struct Complaint: DiagnosticMessage {
  let message: String
  var severity = DiagnosticSeverity.error

  var diagnosticID: MessageID { MessageID(domain: "Annals", id: "schema") }
}

extension Diagnostic {
  /// The complaint `text` about `node`.
  init(_ node: some SyntaxProtocol, _ text: String, fixes: [FixIt] = []) {
    self.init(node: Syntax(node), message: Complaint(message: text), fixIts: fixes)
  }

  /// A warning `text` about `node`.
  init(warning node: some SyntaxProtocol, _ text: String, fixes: [FixIt] = []) {
    self.init(node: Syntax(node), message: Complaint(message: text, severity: .warning), fixIts: fixes)
  }
}
