public import Annals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A mapping proposed for a file, and the Swift schema that reads its events.
public struct SwiftDataProposal: Sendable {
  /// The names and types.
  public let mapping: SwiftDataMapping
  /// A source file with the schema and a plan of one version. It compiles as it is.
  public let source: String
}

extension SwiftDataFile {
  /// Proposes a mapping and a Swift schema.
  ///
  /// - Parameters:
  ///   - name: The beginning of the names of the schema and the plan, such as `Notes` for `NotesV1`.
  ///   - hasHistory: Whether changes of a history are imported, if the file has one.
  /// - Throws: ``AnnalsError`` with code `damaged`, `tooLarge` or `inputOutput`.
  /// - Complexity: O(rows · columns); contents are not read.
  public func proposal(
    named name: String, history hasHistory: Bool = true
  ) throws(AnnalsError) -> SwiftDataProposal {
    let schema = SwiftName.upper(SwiftName.identifier(name))
    var events: Set<String> = []
    var prefixes: Set<String> = []
    var streams: [String: String] = [:]
    var mapped: [SwiftDataMapping.Entity] = []
    for entity in entities where streams[entity.root] == nil {
      streams[entity.root] = SwiftName.distinct(SwiftName.lower(entity.root), &prefixes) + "-"
    }
    for entity in entities {
      let title = SwiftName.upper(entity.name)
      let profiles = try ColumnProfile.all(of: entity, in: self)
      var fieldNames: Set<String> = Set(entity.fields.map { $0.name.lowercased() })
      let key = SwiftName.distinct("primaryKey", &fieldNames)
      mapped.append(
        SwiftDataMapping.Entity(
          entity: entity.name, stream: streams[entity.root] ?? "",
          inserted: SwiftName.distinct(title + "Inserted", &events),
          updated: SwiftName.distinct(title + "Updated", &events),
          deleted: SwiftName.distinct(title + "Deleted", &events), key: key,
          fields: entity.fields.map { field($0, profiles) }))
    }
    let mapping = SwiftDataMapping(
      source: id.uuidString, schema: schema + "V1",
      version: "1.0.0", history: hasHistory && history != nil, entities: mapped)
    return SwiftDataProposal(
      mapping: mapping, source: SchemaSource(mapping: mapping, plan: schema + "Plan", entities: entities).text
    )
  }

  private func field(_ field: SourceField, _ profiles: [String: ColumnProfile]) -> SwiftDataMapping.Field {
    let profile = profiles[field.source]
    let isExternal = profile?.isExternal ?? false
    let isLarge = isExternal || profile.map { $0.longest >= ColumnProfile.attachmentLimit } ?? false
    return SwiftDataMapping.Field(
      column: field.source, field: field.name,
      type: field.type == .data && isLarge ? .attachment : field.type,
      optional: field.type != .references && (field.isOptional || profile?.hasNull ?? true),
      external: isExternal ? true : nil)
  }
}
