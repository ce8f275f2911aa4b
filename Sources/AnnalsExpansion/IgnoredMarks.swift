import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxBuilder

extension AttributeListSyntax {
  /// Returns the mistakes in the attributes of a field or case: those that would be ignored in silence.
  ///
  /// - Parameter owner: What has the field or case: a record or a value.
  func ignoredMarks(of owner: String) -> [Diagnostic] {
    let further = compactMap { $0.isField ? $0 : nil }.dropFirst().map {
      Diagnostic(
        $0, "only the first @Field would be read: write one @Field with all arguments", fixes: mergingFields)
    }
    let conditional = conditional(["Field", "Indexed", "UnknownCase"]).map {
      Diagnostic($0, "a \(owner) is the same in every build: no #if around @\($0.bareName)")
    }
    return further + conditional
  }

  /// The correction of two `@Field`, if nothing is between them and they do not contradict each other.
  private var mergingFields: [FixIt] {
    let marks = Array(self)
    guard marks.count(where: \.isField) == 2, let place = marks.firstIndex(where: \.isField),
      marks[place + 1].isField, marks[place].trailingTrivia.allSatisfy(\.isWhitespace),
      marks[place + 1].leadingTrivia.allSatisfy(\.isWhitespace),
      let merged = Element.merged(marks[place], marks[place + 1])
    else { return [] }
    let one = merged.with(\.leadingTrivia, marks[place].leadingTrivia)
      .with(\.trailingTrivia, marks[place + 1].trailingTrivia)
    let list = AttributeListSyntax(marks[..<place] + [.attribute(one)] + marks[(place + 2)...])
    return [
      FixIt(
        message: Fix(message: "write '\(merged)'"),
        changes: [.replace(oldNode: Syntax(self), newNode: Syntax(list))])
    ]
  }
}

extension AttributeListSyntax.Element {
  fileprivate var isField: Bool { self.as(AttributeSyntax.self)?.bareName == "Field" }

  /// Returns one `@Field` with the arguments of both; `nil` if they contradict each other.
  fileprivate static func merged(_ first: Self, _ second: Self) -> AttributeSyntax? {
    let both = [first, second].map { NameArguments(of: $0.as(AttributeSyntax.self), example: "") }
    var arguments: [String] = []
    for label in [nil, "originalName", "tag", "personal", "erased"] {
      let values = Set(both.compactMap { $0.expression(label)?.trimmedDescription })
      guard values.count < 2 else { return nil }
      if let value = values.first { arguments.append(label.map { "\($0): \(value)" } ?? value) }
    }
    return "@Field(\(raw: arguments.joined(separator: ", ")))"
  }
}
