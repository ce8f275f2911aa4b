import SwiftSyntax
import SwiftSyntaxMacros

/// The Swift text by which a record gives its events tags. All of it could be written by hand.
struct TagsText {
  private let access: String
  private let fields: [StoredField]

  /// Creates the text for `fields` of a record with this visibility.
  init(_ fields: [StoredField], _ access: Access) {
    self.access = access.prefix
    self.fields = fields.filter { $0.tag != nil }
  }

  /// Returns the statement that the record has tags, and their names and the function that lists them unless
  /// the record has one of its own.
  ///
  /// Each field is a separate statement, so that a type that cannot be a tag is reported on its line.
  func members(in context: some MacroExpansionContext) -> [String] {
    let statement = "\(access)static var hasTags: Swift.Bool { true }"
    guard !fields.isEmpty else { return [statement] }
    let lines = fields.map { field in
      SourceLine(of: field.place, in: context).owning(
        "tags.add(\(field.tag?.literal ?? ""), value.\(field.property))")
    }
    var known: [String] = []
    for field in fields {
      if let name = field.tag?.literal, !known.contains(name) { known.append(name) }
    }
    let names = "\(access)static var tagNames: [Swift.String] { [\(known.joined(separator: ", "))] }"
    let function = """
      \(access)static func tags(_ value: Self) -> [Annals.EventTag] {
      var tags = Annals.FieldTags()
      \(lines.joined(separator: "\n"))
      return tags.all
      }
      """
    return [statement, names, function]
  }
}
