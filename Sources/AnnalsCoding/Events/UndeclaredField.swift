/// A field of stored payloads that the record type with which they are read does not declare.
///
/// Such payloads are stored by the names of their fields: by an import, or by ``EventLog`` without a plan.
/// The field stays in the log until a migration pass rewrites its entry.
public struct UndeclaredField: Hashable, Codable, Sendable {
  /// The record name of the entries.
  public let type: String
  /// The schema version that they were stored under; `nil` if they were stored without one.
  public let version: SchemaVersion?
  /// The path of names to the field, outermost first. Elements of arrays and values of dictionaries have no
  /// name of their own.
  public let path: [String]
  /// The number of its values.
  public let count: UInt64
  /// The position of the first value.
  public let firstPosition: Position

  package init(type: String, version: SchemaVersion?, path: [String], count: UInt64, firstPosition: Position)
  {
    self.type = type
    self.version = version
    self.path = path
    self.count = count
    self.firstPosition = firstPosition
  }

  /// The name with which its removal is requested, `TYPE.KEY` or `TYPE.outer.inner`.
  ///
  /// A backslash precedes each backslash and comma in it, and each dot in a key. A name that is given may
  /// have `\u{feff}` in the place of a character.
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

  /// Returns the names in a list separated by commas, in the form of ``name``.
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

  /// Returns a name that is given in the form of ``name``: `\u{feff}` becomes the character.
  package static func exact(_ given: String) -> ExactText {
    var result = ""
    var rest = given.unicodeScalars[...]
    while let scalar = rest.popFirst() {
      if scalar == "\\", rest.starts(with: "u{".unicodeScalars), let end = rest.firstIndex(of: "}"),
        let number = UInt32(String(rest[..<end].dropFirst(2)), radix: 16), let meant = Unicode.Scalar(number)
      {
        result.unicodeScalars.append(meant)
        rest = rest[rest.index(after: end)...]
        continue
      }
      result.unicodeScalars.append(scalar)
      if scalar == "\\", let next = rest.popFirst() { result.unicodeScalars.append(next) }
    }
    return ExactText(result)
  }

  /// Returns `name` in ASCII, so that a set of texts keeps names apart that differ only in normalisation.
  package static func ascii(_ name: String) -> String {
    name.unicodeScalars.map { $0.isASCII ? String($0) : "\\u{\(String($0.value, radix: 16))}" }.joined()
  }
}

extension UndeclaredField: CustomStringConvertible {
  /// The name, the number of values, and the position of the first one.
  public var description: String {
    "'\(name)'\(version.map { " of version \($0)" } ?? ""), \(count) values, the first at position \(firstPosition)"
  }
}
