/// A field of stored payloads that the record does not declare as which they are read.
///
/// Such payloads are stored by the names of their fields: by an import, or by ``EventLog`` without a plan.
/// The field stays in the log until a migration pass rewrites
/// its entry.
public struct UndeclaredField: Hashable, Codable, Sendable {
  /// The record name of the entries.
  public let type: String
  /// The schema version that they were stored under, `nil` where they were stored without one.
  public let version: SchemaVersion?
  /// The names that lead to the field, the outermost first. Elements of arrays and values of dictionaries
  /// have no name of their own.
  public let path: [String]
  /// How many values of it there are.
  public let count: UInt64
  /// Where the first one is.
  public let firstPosition: Position

  package init(type: String, version: SchemaVersion?, path: [String], count: UInt64, firstPosition: Position)
  {
    self.type = type
    self.version = version
    self.path = path
    self.count = count
    self.firstPosition = firstPosition
  }

  /// The name by which the field is given up, `TYPE.KEY` or `TYPE.outer.inner`.
  ///
  /// A backslash is put before each backslash and comma in it, and before each dot in a key.
  public var name: String { Self.name(type: type, path: path) }

  package static func name(type: String, path: [String]) -> String {
    ([escaped(type, "\\,")] + path.map { escaped($0, "\\,.") }).joined(separator: ".")
  }

  private static func escaped(_ text: String, _ marked: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      if marked.unicodeScalars.contains(scalar) { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// The names in a list that is separated by commas, as ``name`` writes them.
  package static func names(in list: String) -> [String] {
    var names = [""]
    var isEscaped = false
    for scalar in list.unicodeScalars {
      if scalar == ",", !isEscaped {
        names.append("")
        continue
      }
      names[names.count - 1].unicodeScalars.append(scalar)
      isEscaped = scalar == "\\" && !isEscaped
    }
    return names
  }
}

extension UndeclaredField: CustomStringConvertible {
  /// The name, how many values there are, and where the first one is.
  public var description: String {
    "'\(name)'\(version.map { " of version \($0)" } ?? ""), \(count) values, the first at position \(firstPosition)"
  }
}
