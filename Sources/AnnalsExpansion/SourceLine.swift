import SwiftSyntax
import SwiftSyntaxMacros

/// The line of a file that a macro reads, for what it writes about that line.
struct SourceLine {
  /// The file and the number of the line, each as an expression; `nil` where the compiler does not say.
  private let place: AbstractSourceLocation?

  /// The line of the first word of `node`.
  init(of node: some SyntaxProtocol, in context: some MacroExpansionContext) {
    place = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath)
  }

  /// The written `text`, in which the compiler finds mistakes on this line.
  func owning(_ text: String) -> String {
    guard let place else { return text }
    return """
      #sourceLocation(file: \(place.file), line: \(place.line))
      \(text)
      #sourceLocation()
      """
  }
}
