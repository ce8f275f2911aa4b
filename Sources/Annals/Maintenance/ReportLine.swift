#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A line of JSON that tells a program of something: an object whose members stand in the order in which they are added.
package struct ReportLine {
  private var writer = JSONWriter()
  private var isFirst = true

  /// An object without members.
  package init() {
    writer.raw("{")
  }

  /// The line with its end.
  package var bytes: [UInt8] {
    writer.bytes + Array("}\n".utf8)
  }

  private mutating func key(_ key: String) {
    if !isFirst { writer.raw(",") }
    isFirst = false
    writer.text(key)
    writer.raw(":")
  }

  /// Adds a text; null for none.
  package mutating func add(_ key: String, _ text: String?) {
    self.key(key)
    if let text { writer.text(text) } else { writer.raw("null") }
  }

  /// Adds a whole number that is not negative.
  package mutating func add(_ key: String, _ number: UInt64) {
    self.key(key)
    writer.unsigned(number)
  }

  /// Adds true or false.
  package mutating func add(_ key: String, _ flag: Bool) {
    self.key(key)
    if flag { writer.raw("true") } else { writer.raw("false") }
  }

  /// Adds a schema version; null for none.
  package mutating func add(_ key: String, _ version: SchemaVersion?) {
    self.key(key)
    writer.version(version)
  }

  /// Adds a UUID.
  package mutating func add(_ key: String, _ id: UUID) {
    self.key(key)
    writer.id(id)
  }

  /// Adds an array of texts.
  package mutating func add(_ key: String, _ texts: [String]) {
    self.key(key)
    writer.list(texts) { $0.text($1) }
  }

  /// Adds an object; null for none.
  package mutating func add(_ key: String, _ line: ReportLine?) {
    self.key(key)
    guard let line else { return writer.raw("null") }
    writer.bytes += line.writer.bytes
    writer.raw("}")
  }

  /// Adds an array of objects.
  package mutating func add(_ key: String, _ lines: [ReportLine]) {
    self.key(key)
    writer.list(lines) { writer, line in
      writer.bytes += line.writer.bytes
      writer.raw("}")
    }
  }
}
