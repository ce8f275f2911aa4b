internal import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a file has, for people and for programs.
package struct SwiftDataInspection {
  private let file: SwiftDataFile

  /// Creates the inspection of an open file.
  package init(_ file: SwiftDataFile) {
    self.file = file
  }

  /// The lines for people.
  package func text() -> String {
    let versions = file.versions.isEmpty ? "" : ", model \(file.versions.joined(separator: ", "))"
    var lines = ["\(file.name): store \(file.id.uuidString)\(versions)"]
    if file.model == nil {
      lines.append("  no model in the file: names and types are those of the columns")
    }
    lines.append(
      file.history.map { "  history: \($0.changes) changes in \($0.transactions) saves" } ?? "  no history")
    for entity in file.entities {
      let parent = entity.superentity.map { ": \($0)" } ?? ""
      lines.append("")
      lines.append("\(entity.name)\(parent), \(entity.rows) \(entity.rows == 1 ? "row" : "rows")")
      let rows = entity.fields.map { [$0.name, type($0), $0.source] }
      let inverses = entity.inverses.map { [$0.name, "[\($0.destination)]", inverse($0)] }
      let widths = (0..<2).map { column in (rows + inverses).map { $0[column].count }.max() ?? 0 }
      for row in rows + inverses {
        let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
        lines.append("  \(cells.joined(separator: "  "))  \(row[2])")
      }
    }
    if !unread.isEmpty {
      lines += ["", "tables that are not imported: \(unread.joined(separator: ", "))"]
    }
    return lines.map { "\(PlainLine.escaped($0))\n" }.joined()
  }

  /// The lines for programs: one for the file, and one for each entity.
  package func json() -> String {
    var line = ReportLine()
    line.add("store", file.id)
    line.add("versions", file.versions)
    line.add("model", file.model != nil)
    line.add("history", file.history != nil)
    line.add("changes", UInt64(file.history?.changes ?? 0))
    line.add("saves", UInt64(file.history?.transactions ?? 0))
    line.add("unread", unread)
    var bytes = line.bytes
    for entity in file.entities {
      var line = ReportLine()
      line.add("entity", entity.name)
      line.add("superentity", entity.superentity)
      line.add("rows", UInt64(entity.rows))
      line.add(
        "fields",
        entity.fields.map { field in
          var line = ReportLine()
          line.add("name", field.name)
          line.add("column", field.source)
          line.add("type", field.type.rawValue)
          line.add("optional", field.isOptional)
          line.add("destination", field.destination)
          return line
        })
      line.add(
        "inverses",
        entity.inverses.map { relationship in
          var line = ReportLine()
          line.add("name", relationship.name)
          line.add("destination", relationship.destination)
          line.add("inverse", relationship.inverse)
          return line
        })
      bytes += line.bytes
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The tables that are neither the framework's own nor those of an entity or a relationship.
  package var unread: [String] {
    let own = ["Z_METADATA", "Z_PRIMARYKEY", "Z_MODELCACHE", "ACHANGE", "ATRANSACTION", "ATRANSACTIONSTRING"]
    let read = Set(own + file.entities.map(\.table) + file.entities.flatMap(\.fields).map(\.source))
    return file.tables.names.filter { name in
      !read.contains(name) && !name.hasPrefix("sqlite_") && !name.hasPrefix("ANSCK")
    }
  }

  private func type(_ field: SourceField) -> String {
    let name = field.destination.map { field.type == .references ? "[\($0)]" : $0 } ?? field.type.rawValue
    return name + (field.isOptional ? "?" : "")
  }

  private func inverse(_ relationship: ManagedModel.Relationship) -> String {
    relationship.inverse.map { "the other side of '\($0)'" } ?? "in the other side's column"
  }
}

/// Text for a terminal, without characters that would move its cursor.
package enum PlainLine {
  /// Returns the text with such characters written as their numbers.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator:
        result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
