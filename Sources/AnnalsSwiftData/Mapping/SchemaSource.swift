/// The text of a Swift file with the schema of a mapping.
struct SchemaSource {
  let mapping: SwiftDataMapping
  let plan: String
  let entities: [SourceEntity]

  /// The text.
  var text: String {
    // An import that nothing uses is a warning.
    let types = Set(mapping.entities.flatMap(\.fields).map(\.type))
    let foundation =
      types.isDisjoint(with: [.decimal, .date, .uuid, .data]) ? [] : ["public import Foundation"]
    var lines = ["public import Annals"] + foundation
    lines += [
      "",
      "/// The rows of SwiftData store \(mapping.source ?? "-") as events.",
      "///",
    ]
    lines +=
      mapping.history
      ? [
        "/// The store has a history, and the history has no old values. So every field may be missing: an event",
        "/// with `incomplete` in its metadata lists the fields that are not known as `unknown`.",
      ]
      : ["/// The store has no history: each row is one event with the values of the time of the import."]
    lines += ["@Schema(\(numbers)) public enum \(mapping.schema) {"]
    var names: Set<String> = []
    for entity in mapping.entities { lines += records(of: entity, &names) }
    if lines.last == "" { lines.removeLast() }
    lines += [
      "}",
      "",
      "/// The plan of the events; later versions become further stages.",
      "public enum \(plan): SchemaMigrationPlan {",
      "  public static var stages: MigrationChain<\(mapping.schema), \(mapping.schema)> {}",
      "}",
      "",
    ]
    return lines.joined(separator: "\n")
  }

  /// The version as arguments of the macro.
  private var numbers: String {
    mapping.version.split(separator: ".").joined(separator: ", ")
  }

  private func records(of entity: SwiftDataMapping.Entity, _ names: inout Set<String>) -> [String] {
    let source = entities.first { $0.name == entity.entity }
    var lines: [String] = []
    for (name, what) in [(entity.inserted, "was inserted"), (entity.updated, "was updated")] {
      lines.append(
        "  /// A row of '\(Self.comment(entity.entity))' \(what). Stream: `\(Self.comment(entity.stream))N`.")
      lines += record(name, entity, entity.fields, source, &names)
    }
    lines.append("  /// A row of '\(Self.comment(entity.entity))' was deleted.")
    lines += record(entity.deleted, entity, [], source, &names)
    return lines
  }

  private func record(
    _ name: String, _ entity: SwiftDataMapping.Entity, _ fields: [SwiftDataMapping.Field],
    _ source: SourceEntity?, _ names: inout Set<String>
  ) -> [String] {
    let type = SwiftName.distinct(SwiftName.upper(SwiftName.identifier(name)), &names)
    var members: Set<String> = []
    var lines = [
      "  @Record(\(SwiftName.literal(name))) public struct \(SwiftName.declared(type)): Equatable {"
    ]
    lines.append(member(entity.key, "Int", &members))
    for field in fields {
      let known = source?.fields.first { $0.source == field.column }
      if let destination = known?.destination {
        lines.append("    /// The primary key of the row of '\(Self.comment(destination))'.")
      }
      let isOptional = field.optional || mapping.history
      lines.append(member(field.field, Self.swift(field.type) + (isOptional ? "?" : ""), &members))
    }
    return lines + ["  }", ""]
  }

  private func member(_ name: String, _ type: String, _ members: inout Set<String>) -> String {
    let identifier = SwiftName.distinct(SwiftName.identifier(name), &members)
    // A name in other letters than the identifier's is written out.
    let attribute = identifier.utf8.elementsEqual(name.utf8) ? "" : "@Field(\(SwiftName.literal(name))) "
    return "    \(attribute)public var \(SwiftName.declared(identifier)): \(type)"
  }

  /// The type in Swift. An attachment is written in full, because Swift Testing has one too.
  private static func swift(_ type: SwiftDataType) -> String {
    type == .attachment ? "Annals.Attachment" : type.rawValue
  }

  /// A name inside of a comment of one line.
  private static func comment(_ text: String) -> String {
    String(SwiftName.literal(text).dropFirst().dropLast())
  }
}
