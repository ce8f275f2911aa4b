import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import AnnalsMacros

/// A source file after its macros were expanded as the compiler expands them.
struct Expansion {
  /// The text of the file.
  let text: String
  /// What the macros complained about, each with the line it points at.
  let messages: [String]

  init(of source: String) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Shop", fullFilePath: "Shop.swift")])
    let schema = MacroSpec(type: SchemaMacro.self, conformances: ["Annals.VersionedSchema"])
    let expanded = file.expand(
      macroSpecs: ["Schema": schema],
      contextGenerator: {
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      }, indentationWidth: .spaces(2))
    let places = SourceLocationConverter(fileName: "Shop.swift", tree: file)
    text = expanded.description
    messages = context.diagnostics.map { "\(places.location(for: $0.position).line): \($0.message)" }
  }
}
