package import AnnalsCoding
internal import AnnalsLog

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// A line of JSON for programs: an object whose members are in the order in which they are added.
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

  /// Adds the numbers of a path.
  package mutating func add(_ key: String, _ path: [UInt32]) {
    self.key(key)
    writer.list(path) { $0.unsigned(UInt64($1)) }
  }

  /// Adds a time.
  package mutating func add(_ key: String, _ time: Timestamp) {
    self.key(key)
    writer.time(time)
  }

  /// Adds what a payload holds, in the form of ``EntryLines``.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed`.
  package mutating func add(_ key: String, _ payload: Payload) throws(AnnalsError) {
    self.key(key)
    try writer.add(payload)
  }

  /// Adds metadata as an object.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed`.
  package mutating func add(_ key: String, _ metadata: Metadata) throws(AnnalsError) {
    self.key(key)
    try writer.add(metadata)
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

  /// Adds a position; null for none.
  package mutating func add(_ key: String, _ position: Position?) {
    self.key(key)
    if let position { writer.unsigned(position.rawValue) } else { writer.raw("null") }
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

extension JSONWriter {
  /// Writes what a payload holds.
  fileprivate mutating func add(_ payload: Payload) throws(AnnalsError) {
    do throws(CodingFailure) { try self.payload(payload.bytes.span) } catch {
      throw AnnalsError(malformed: error, what: "the payload")
    }
  }

  /// Writes metadata.
  fileprivate mutating func add(_ metadata: Metadata) throws(AnnalsError) {
    do throws(CodingFailure) {
      try value(.map(metadata.map { CBOR.Pair(.text($0.key), $0.value) }))
    } catch {
      throw AnnalsError(malformed: error, what: "the metadata")
    }
  }
}

extension Payload {
  /// Returns the payload as JSON, in the form of ``EntryLines``.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed`.
  package func json() throws(AnnalsError) -> String {
    var writer = JSONWriter()
    try writer.add(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}

extension Metadata {
  /// The metadata as JSON.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed`.
  package func json() throws(AnnalsError) -> String {
    var writer = JSONWriter()
    try writer.add(self)
    return String(decoding: writer.bytes, as: UTF8.self)
  }
}
