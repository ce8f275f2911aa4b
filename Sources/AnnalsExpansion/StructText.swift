import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacros

/// The Swift text that stores a struct as its fields. All of it could be written by hand.
///
/// The types of fields are never written but inferred: the text is outside the braces of the schema, where
/// their names may have another meaning.
struct StructText {
  private let access: String
  private let fields: [StoredField]

  /// Creates the text for `fields` of a struct with this visibility.
  init(_ fields: [StoredField], _ access: Access) {
    self.access = access.prefix
    self.fields = fields
  }

  /// Returns the shape of the struct on disk, and the code that reads and writes it.
  ///
  /// The compiler reports a type that cannot be stored only in the code of the shape. Each field is a
  /// separate statement, so that the mistake is on the line of the field.
  func members(in context: some MacroExpansionContext) -> String {
    """
    \(access)static func shape(in types: inout Annals.ShapeTypes) -> Annals.ValueShape {
    types.record(Self.self) { \(fields.isEmpty ? "_ in\n[]" : "types in\n\(shapes(in: context))")
    }
    }
    \(access)init(from reader: inout Annals.FieldReader) throws(Annals.CodingFailure) {
    try reader.begin(\(fields.count))
    \(fields.map { "self.\($0.property) = try reader.field()" }.joined(separator: "\n"))
    reader.leave()
    }
    \(access)func encode(into writer: inout Annals.FieldWriter) throws(Annals.CodingFailure) {
    try writer.begin(\(fields.count))
    \(fields.map { "try writer.field(self.\($0.property))" }.joined(separator: "\n"))
    writer.leave()
    }
    """
  }

  /// Returns the text for a type with a mistake, so that only the mistake is reported and none of its
  /// consequences.
  static func standIn(_ access: Access, as kind: String = "record") -> String {
    """
    \(access.prefix)static func shape(in types: inout Annals.ShapeTypes) -> Annals.ValueShape {
    types.\(kind)(Self.self) { _ in [] }
    }
    \(access.prefix)init(from reader: inout Annals.FieldReader) throws(Annals.CodingFailure) {
    throw reader.unknownCase()
    }
    \(access.prefix)func encode(into writer: inout Annals.FieldWriter) throws(Annals.CodingFailure) {}
    """
  }

  /// The initializer that Swift also generates, but never for other modules.
  var memberwise: String {
    """
    /// The value with these fields.
    \(access)init(\(fields.map(\.parameter).joined(separator: ", "))) {
    \(fields.map { "self.\($0.property) = \($0.place.written(for: .variableName))" }.joined(separator: "\n"))
    }
    """
  }

  private func shapes(in context: some MacroExpansionContext) -> String {
    let lines = fields.map {
      SourceLine(of: $0.place, in: context).owning("fields.append(\(shape($0)))")
    }
    return """
      var fields: [Annals.FieldShape] = []
      \(lines.joined(separator: "\n"))
      return fields
      """
  }

  private func shape(_ field: StoredField) -> String {
    let originalName = field.originalName.map { "originalName: \($0.literal), " } ?? ""
    let personal =
      field.personal.map { mark in
        "personal: \(mark.diskName?.literal ?? ""), erased: \(mark.erased?.trimmedDescription ?? "nil"), "
      } ?? ""
    return
      "Annals.FieldShape(\(field.name.literal), \(originalName)\\Self.\(field.property), \(personal)in: &types)"
  }
}
