import SwiftDiagnostics
import SwiftParser
import SwiftSyntax

/// The names on disk in the arguments of an attribute.
struct NameArguments {
  /// The mistakes in the names.
  private(set) var complaints: [Diagnostic] = []

  private let arguments: LabeledExprListSyntax
  private let example: String

  /// Creates the arguments of `attribute`, for which messages show `example`.
  init(of attribute: AttributeSyntax?, example: String) {
    self.example = example
    if case .argumentList(let list) = attribute?.arguments { arguments = list } else { arguments = [] }
  }

  /// Returns the argument with this label, if there is one.
  func expression(_ label: String?) -> ExprSyntax? {
    arguments.first { $0.label?.text == label }?.expression
  }

  /// Returns the name with this label; `nil` if there is none.
  mutating func name(_ label: String?) -> DiskName? {
    guard let expression = expression(label), !expression.is(NilLiteralExprSyntax.self) else { return nil }
    return name(
      in: expression, label.map { example.replacing("(", with: "(\($0): ", maxReplacements: 1) } ?? example)
  }

  /// Returns the names of the list with this label; empty if there is no list.
  mutating func names(_ label: String) -> [DiskName] {
    guard let expression = expression(label) else { return [] }
    let example = example.replacing("(\"", with: "(\(label): [\"").replacing("\")", with: "\"])")
    guard let list = expression.as(ArrayExprSyntax.self) else {
      complaints.append(Diagnostic(expression, "names on disk are written out as texts: \(example)"))
      return []
    }
    var names: [DiskName] = []
    for element in list.elements {
      guard let name = name(in: element.expression, example) else { continue }
      if names.contains(name) {
        complaints.append(Diagnostic(element.expression, "the name '\(name.text)' stands twice: remove one"))
      } else {
        names.append(name)
      }
    }
    return names
  }

  /// Adds the complaint `text` about `node`.
  mutating func complain(_ node: some SyntaxProtocol, _ text: String) {
    complaints.append(Diagnostic(node, text))
  }

  private mutating func name(in expression: ExprSyntax, _ example: String) -> DiskName? {
    guard let text = expression.as(StringLiteralExprSyntax.self)?.representedLiteralValue else {
      complaints.append(Diagnostic(expression, "a name on disk is written out as a text: \(example)"))
      return nil
    }
    let name = DiskName(text: text)
    if let problem = name.problem {
      complaints.append(Diagnostic(expression, "\(problem): write one such as \(example)"))
      return nil
    }
    return name
  }
}
