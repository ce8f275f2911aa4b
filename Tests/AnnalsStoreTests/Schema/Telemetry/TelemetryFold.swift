import Foundation

/// The declared renames, folded by themselves: what the name of an attribute has become.
struct TelemetryFold {
  /// The sections of each version, oldest version first, as the file has them.
  private let versions: [(version: String, sections: [String: Any])]

  /// Reads the file at `url`.
  init(_ url: URL) throws {
    let root = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any]
    let versions = root?["versions"] as? [String: Any] ?? [:]
    self.versions = versions.sorted { $0.key.compare($1.key, options: .numeric) == .orderedAscending }
      .map { ($0.key, $0.value as? [String: Any] ?? [:]) }
  }

  /// The versions, oldest first.
  var numbers: [String] { versions.map(\.version) }

  /// Today's name of `name`, written under the version numbered `start`, in a record that `sections` concern.
  func today(_ name: String, from start: Int, _ sections: [String]) -> String {
    var name = name
    for (_, changes) in versions[(start + 1)...] {
      for section in sections {
        for map in Self.maps(changes[section]) { name = map[name] ?? name }
      }
    }
    return name
  }

  /// Every name that was changed in any version and section.
  func changed(_ sections: [String]) -> [String] {
    let names = versions.flatMap { version in
      sections.flatMap { Self.maps(version.sections[$0]).flatMap(\.keys) }
    }
    return Set(names).sorted()
  }

  private static func maps(_ section: Any?) -> [[String: String]] {
    let changes = (section as? [String: Any])?["changes"] as? [[String: Any]] ?? []
    return changes.compactMap { change in
      (change["rename_attributes"] as? [String: Any])?["attribute_map"] as? [String: String]
    }
  }
}
