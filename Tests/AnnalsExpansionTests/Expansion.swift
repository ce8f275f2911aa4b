import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

@testable import AnnalsExpansion

/// A source file after its macros were expanded as the compiler expands them.
struct Expansion {
  /// The text of the file.
  let text: String
  /// The messages of the macros, each with the line it points at.
  let messages: [String]
  /// The file after each fix that the first message offers, in the order of the offers.
  let fixed: [String]

  init(of source: String) {
    let file = Parser.parse(source: source)
    let context = BasicMacroExpansionContext(
      sourceFiles: [file: .init(moduleName: "Shop", fullFilePath: "Shop.swift")])
    let record: [TypeSyntax] = ["Annals.ShapedRecord", "Annals.Record", "Annals.StoredValue"]
    let expanded = file.expand(
      macroSpecs: [
        "Schema": MacroSpec(type: SchemaMacro.self, conformances: ["Annals.VersionedSchema"]),
        "Record": MacroSpec(type: RecordMacro.self, conformances: record),
        "Annals.Record": MacroSpec(type: RecordMacro.self, conformances: record),
        "Value": MacroSpec(type: ValueMacro.self, conformances: ["Annals.StoredValue"]),
        "Field": MacroSpec(type: FieldMacro.self), "Indexed": MacroSpec(type: IndexedMacro.self),
        "UnknownCase": MacroSpec(type: UnknownCaseMacro.self),
      ],
      contextGenerator: {
        BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
      }, indentationWidth: .spaces(2))
    let places = SourceLocationConverter(fileName: "Shop.swift", tree: file)
    text = expanded.description
    fixed = (context.diagnostics.first?.fixIts ?? []).map { Self.apply($0, to: source, context) }
    messages = context.diagnostics.map { "\(places.location(for: $0.position).line): \($0.message)" }
  }

  /// The text with an offer applied. Macros see nodes without their file; the context knows where they were.
  private static func apply(_ offer: FixIt, to source: String, _ context: BasicMacroExpansionContext)
    -> String
  {
    var bytes = Array(source.utf8)
    for case .replace(let old, let new) in offer.changes {
      let start = context.location(for: old.position, anchoredAt: old, fileName: "Shop.swift").offset
      bytes.replaceSubrange(start..<start + old.totalLength.utf8Length, with: Array(new.description.utf8))
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Expansion {
  /// The lines of a text without indentation, empty lines and `#sourceLocation` lines.
  static func lines(of text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingPrefix { $0 == " " } }
      .filter { !$0.isEmpty && !$0.hasPrefix("#sourceLocation") }
      .map { line in line.split(separator: "  //", maxSplits: 1).first.map(String.init) ?? String(line) }
  }

  /// The only message about `source`, without its line; `nil` if it gets another number of messages.
  static func complaint(about source: String) -> String? {
    let messages = Expansion(of: source).messages
    return messages.count == 1 ? messages.first.map { String($0.drop { $0 != " " }.dropFirst()) } : nil
  }
}
