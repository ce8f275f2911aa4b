import SwiftSyntax
import SwiftSyntaxMacros

/// The line of a file that a macro reads, for the code that it generates about that line.
struct SourceLine {
  /// The file and the number of the line, each as an expression; `nil` if the compiler does not provide them.
  private let place: AbstractSourceLocation?

  /// Creates the line of the first word of `node`.
  init(of node: some SyntaxProtocol, in context: some MacroExpansionContext) {
    place = context.location(of: node, at: .afterLeadingTrivia, filePathMode: .filePath)
  }

  /// Returns `text` so that the compiler reports its mistakes on this line.
  func owning(_ text: String) -> String {
    guard let place else { return text }
    return """
      #sourceLocation(file: \(place.file), line: \(place.line))
      \(text)
      #sourceLocation()
      """
  }
}
