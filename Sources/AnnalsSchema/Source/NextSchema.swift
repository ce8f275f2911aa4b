package import AnnalsCoding
internal import AnnalsShapes

/// The source of the schema that follows a plan's current one: every record unchanged, and a stage without
/// rules.
package struct NextSchema: Sendable {
  /// What differs from the usual next version.
  package struct Options: Sendable {
    /// The version; the next minor one if it is `nil`.
    package var version: SchemaVersion?
    /// The name of the schema; the current one's with the next number if it is `nil`.
    package var name: String?
    /// The names on disk of the records that the version declares again, to be changed.
    package var changing: [String] = []
    /// Whether the declarations are public.
    package var isPublic = false
    /// Whether the version is a draft.
    package var isDraft = false

    package init() {}
  }

  /// The version.
  package let version: SchemaVersion
  /// The name of the schema.
  package let name: String
  /// The name of the constant that is the stage.
  package let stage: String
  /// The whole file.
  package let source: String

  /// Writes the next version of `plan`.
  ///
  /// - Throws: ``AnnalsError`` with code `wrongUse` if the version is not above the current one, or the
  ///   current schema has no record of a name in `changing`; `invalidPlan` if it is a draft, or if a record
  ///   there has a type that its shape does not describe.
  package init<Plan: SchemaMigrationPlan>(
    after plan: Plan.Type, _ options: Options = Options()
  ) throws(AnnalsError) {
    let (oldest, current) = (SchemaOutline(Plan.Oldest.self), SchemaOutline(Plan.Current.self))
    let version = options.version ?? Self.next(current.version)
    try Self.check(version, options, after: current)
    let name = options.name ?? Self.next(current.name)
    let access = options.isPublic ? "public " : ""
    let typeName = SwiftName(existing: name).written
    let stage = "\(current.name.prefix(1).lowercased())\(current.name.dropFirst())To\(name)"
    let changing = current.records.filter { record in
      options.changing.contains { ExactText($0) == record.name }
    }
    var types = SwiftTypes(
      changing.compactMap { $0.shape?.shape }, in: typeName, access: access,
      except: Set(current.records.map(\.typeName)))
    var body: [String] = []
    for record in current.records {
      let type = SwiftName(existing: record.typeName).written
      guard options.changing.contains(where: { ExactText($0) == record.name }), let shape = record.shape
      else {
        let home = SwiftName(existing: current.name).written
        body.append("\(access)typealias \(type) = \(home).\(type)")
        continue
      }
      let fields = types.fields(shape.shape.fields, ofRecord: type)
      guard !types.hasCode else { throw Self.undeclarable(record, in: current) }
      body += Self.declaration(record, as: type, access, fields)
    }
    body = types.declarations.flatMap(\.self) + body
    let stability = options.isDraft ? ", .draft" : ""
    let numbers = "\(version.major), \(version.minor), \(version.patch)"
    let stageName = SwiftName(existing: stage).written
    let home = SwiftName(existing: current.name).written
    var lines = [access.isEmpty ? "import Annals" : "public import Annals"]
    if types.usesFoundation {
      lines.append(access.isEmpty ? "import Foundation" : "public import Foundation")
    }
    lines +=
      ["", "@Schema(\(numbers)\(stability)) \(access)enum \(typeName) {"] + body.map { "  \($0)" } + ["}"]
    lines += [
      "",
      "/// From \(current.version) to \(version). For a record that needs a rule, write",
      "/// `MigrationStage.custom(fromVersion:toVersion:)` with `Upcast`, `Keep`, `Split` or `Drop` in braces.",
      "\(access)let \(stageName) = MigrationStage.lightweight(",
      "  fromVersion: \(home).self, toVersion: \(typeName).self)",
      "",
      "// In \(plan), change the type of `stages`, and add the stage after the others:",
      "//",
      "//   static var stages: MigrationChain<\(oldest.name), \(name)> {",
      "//     …",
      "//     \(stageName)",
      "//   }",
      "",
    ]
    self.version = version
    self.name = name
    self.stage = stage
    source = lines.joined(separator: "\n")
  }

  private static func check(
    _ version: SchemaVersion, _ options: Options, after current: SchemaOutline
  ) throws(AnnalsError) {
    guard current.stability != .draft else {
      throw AnnalsError(
        .invalidPlan,
        "\(current.name) (\(current.version)) is a draft, and only the newest schema may be one: change it, or release it before the next version"
      )
    }
    guard version > current.version else {
      throw AnnalsError(
        .wrongUse,
        "version \(version) is not above \(current.version), that of \(current.name): choose a higher one")
    }
    for name in options.changing {
      guard let record = current.records.first(where: { $0.name == ExactText(name) }) else {
        throw AnnalsError(
          .wrongUse,
          "\(current.name) (\(current.version)) has no record '\(name)'; it has \(current.records.map { "'\($0.name.text)'" }.joined(separator: ", "))"
        )
      }
      guard record.shape != nil else { throw undeclarable(record, in: current) }
    }
  }

  private static func undeclarable(_ record: RecordOutline, in schema: SchemaOutline) -> AnnalsError {
    AnnalsError(
      .invalidPlan,
      "record '\(record.name.text)' of \(schema.name) (\(schema.version)) has a type with Codable code of its own, which its shape does not describe: leave the record out, and copy its declaration by hand"
    )
  }

  private static func declaration(
    _ record: RecordOutline, as type: String, _ access: String, _ fields: [String]
  ) -> [String] {
    var arguments: [String] = []
    if record.name != ExactText(record.typeName) { arguments.append(SwiftName.literal(record.name.text)) }
    if !record.reservedNames.isEmpty {
      let names = record.reservedNames.map { SwiftName.literal($0.text) }
      arguments.append("reserved: [\(names.joined(separator: ", "))]")
    }
    let list = arguments.isEmpty ? "" : "(\(arguments.joined(separator: ", ")))"
    return ["@Record\(list) \(access)struct \(type) {"] + fields.map { "  \($0)" } + ["}"]
  }

  /// Returns the next minor version.
  private static func next(_ version: SchemaVersion) -> SchemaVersion {
    version.minor == .max
      ? SchemaVersion(version.major &+ 1, 0, 0) : SchemaVersion(version.major, version.minor + 1, 0)
  }

  /// Returns the name with the next number at its end.
  private static func next(_ name: String) -> String {
    let digits = name.reversed().prefix { $0.isASCII && $0.isNumber }.count
    guard digits > 0, let number = UInt64(name.suffix(digits)), number < .max else { return name + "V2" }
    return "\(name.dropLast(digits))\(number + 1)"
  }
}
