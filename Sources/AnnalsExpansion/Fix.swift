import SwiftDiagnostics
import SwiftSyntax

/// A correction that an editor offers.
struct Fix: FixItMessage {
  let message: String

  var fixItID: MessageID { MessageID(domain: "Annals", id: "fix") }
}

extension FixIt {
  /// Replaces `token` with `text`.
  static func writing(_ text: String, for token: TokenSyntax) -> FixIt {
    changing(token, to: text, "write '\(text)'")
  }

  /// Inserts `text` and a space before the first word of `node`.
  static func inserting(_ text: String, before node: some SyntaxProtocol) -> [FixIt] {
    node.firstToken(viewMode: .sourceAccurate).map {
      [changing($0, to: "\(text) \($0.text)", "insert '\(text)'")]
    } ?? []
  }

  /// Adds `text` after the last word of `node`.
  static func adding(_ text: String, after node: some SyntaxProtocol) -> [FixIt] {
    node.lastToken(viewMode: .sourceAccurate).map { [changing($0, to: $0.text + text, "insert '\(text)'")] }
      ?? []
  }

  private static func changing(_ token: TokenSyntax, to text: String, _ message: String) -> FixIt {
    let changed = TokenSyntax.identifier(
      text, leadingTrivia: token.leadingTrivia, trailingTrivia: token.trailingTrivia)
    return FixIt(
      message: Fix(message: message), changes: [.replace(oldNode: Syntax(token), newNode: Syntax(changed))])
  }
}
