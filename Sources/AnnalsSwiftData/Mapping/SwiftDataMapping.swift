public import Annals

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// The names and types that the rows of a SwiftData file get as events.
///
/// ``SwiftDataFile/proposal(named:history:)`` proposes one. It is stored as JSON, and can be edited before
/// the import: docs/moving-in.md lists every member.
public struct SwiftDataMapping: Codable, Hashable, Sendable {
  /// An entity of the file, and the events that its rows become.
  public struct Entity: Codable, Hashable, Sendable {
    /// The name of the entity.
    public var entity: String
    /// The beginning of the names of its streams. The primary key of the row follows it.
    public var stream: String
    /// The record name of the event for a new row.
    public var inserted: String
    /// The record name of the event for a changed row.
    public var updated: String
    /// The record name of the event for a deleted row.
    public var deleted: String
    /// The field with the primary key of the row.
    public var key: String
    /// The fields of the events.
    public var fields: [Field]
  }

  /// A column, or a table of pairs, and the field that its values become.
  public struct Field: Codable, Hashable, Sendable {
    /// The column of the entity's table, or the table of a many-to-many relationship.
    public var column: String
    /// The name of the field in payloads.
    public var field: String
    /// The type of the field.
    public var type: SwiftDataType
    /// Whether the field may be missing.
    public var optional: Bool
    /// Whether the column has the framework's external storage: a first byte says where the content is.
    public var external: Bool?
  }

  /// The kind of the JSON file, always `annals-swiftdata-mapping`.
  public var format: String
  /// The version of the form of the JSON file, always 1.
  public var formatVersion: Int
  /// The id of the file that the mapping was proposed from. A mapping works for any file with its entities.
  public var source: String?
  /// The name of the proposed Swift schema.
  public var schema: String
  /// The schema version that the events are stored under.
  public var version: String
  /// Whether changes of the file's history are imported. If so, every field may be missing, because the
  /// history has no old values.
  public var history: Bool
  /// The entities to import. Others are left out.
  public var entities: [Entity]

  init(
    source: String?, schema: String, version: String, history: Bool, entities: [Entity]
  ) {
    format = Self.format
    formatVersion = 1
    self.source = source
    self.schema = schema
    self.version = version
    self.history = history
    self.entities = entities
  }

  /// The only kind of file.
  static let format = "annals-swiftdata-mapping"

  /// Reads a mapping from JSON.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed`, naming the member that is wrong.
  public init(json bytes: Data) throws(AnnalsError) {
    do {
      self = try JSONDecoder().decode(SwiftDataMapping.self, from: bytes)
    } catch {
      throw AnnalsError(.malformed, "the mapping file cannot be read: \(Self.words(error))")
    }
    try check()
  }

  /// Returns the mapping as JSON, with sorted members and indentation.
  public func json() throws(AnnalsError) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do { return try encoder.encode(self) + Data("\n".utf8) } catch {
      throw AnnalsError(.malformed, "the mapping cannot be written: \(error)")
    }
  }

  /// The problem that Foundation reports, with the place in the file.
  private static func words(_ error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String {
      let text = path.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
      return text.isEmpty ? "the file" : "'\(text.drop { $0 == "." })'"
    }
    return switch error {
    case DecodingError.keyNotFound(let key, let context):
      "\(place(context.codingPath)) has no member '\(key.stringValue)'"
    case DecodingError.valueNotFound(_, let context), DecodingError.typeMismatch(_, let context):
      "\(place(context.codingPath)) has a value of another kind"
    case DecodingError.dataCorrupted(let context) where context.codingPath.last?.stringValue == "type":
      "\(place(context.codingPath)) is none of "
        + SwiftDataType.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    case DecodingError.dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "it is no JSON" : "\(place(context.codingPath)): \(context.debugDescription)"
    default: "\(error)"
    }
  }
}

extension SwiftDataMapping {
  /// The parsed version.
  func schemaVersion() throws(AnnalsError) -> SchemaVersion {
    guard let version = SchemaVersion(version) else {
      throw AnnalsError(.malformed, "the mapping's version '\(version)' is no version such as 1.0.0")
    }
    return version
  }

  /// Checks what a reader of JSON cannot.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed`, naming the entity and the problem.
  func check() throws(AnnalsError) {
    guard format == Self.format, formatVersion == 1 else {
      throw AnnalsError(
        .malformed,
        "the mapping file has the format '\(format)' version \(formatVersion); \(Self.format) version 1 is read"
      )
    }
    _ = try schemaVersion()
    try Self.mustDiffer(entities.map(\.entity), "entity")
    try Self.mustDiffer(entities.flatMap { [$0.inserted, $0.updated, $0.deleted] }, "event")
    for entity in entities {
      for name in [entity.inserted, entity.updated, entity.deleted, entity.stream + "0"]
      where name.isEmpty || name.utf8.count > 480 || name.utf8.contains(0) {
        throw AnnalsError(
          .malformed,
          "a name of the entity '\(entity.entity)' in the mapping is empty, has a zero byte or more than 480 bytes"
        )
      }
      try Self.mustDiffer(
        [entity.key] + entity.fields.map(\.field), "field", " of the entity '\(entity.entity)'")
    }
  }

  private static func mustDiffer(_ names: [String], _ what: String, _ place: String = "") throws(AnnalsError)
  {
    var known: Set<[UInt8]> = []
    for name in names where !known.insert(Array(name.utf8)).inserted {
      throw AnnalsError(.malformed, "the mapping has the \(what) '\(name)'\(place) twice")
    }
  }
}
