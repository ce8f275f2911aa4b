/// The model that the framework keeps in a store: its entities with their attributes and relationships.
struct ManagedModel: Equatable, Sendable {
  /// An attribute of an entity.
  struct Attribute: Equatable, Sendable {
    let name: String
    /// The framework's number of the type, such as 700 for a text.
    let type: Int
    let isOptional: Bool
    /// Whether it is never stored.
    var isTransient = false
    /// Whether large values are in files of their own.
    var isExternal = false
    /// Whether the history keeps the value of a deleted row.
    var isKeptOnDelete = false
  }

  /// A relationship of an entity to another one.
  struct Relationship: Equatable, Sendable {
    let name: String
    let destination: String
    /// The relationship in the other direction, if the model has one.
    let inverse: String?
    let isToMany: Bool
    let isOptional: Bool
    /// 0 no action, 1 nullify, 2 cascade, 3 deny.
    let deleteRule: Int
  }

  /// An entity of the model.
  struct Entity: Equatable, Sendable {
    let name: String
    let superentity: String?
    let attributes: [Attribute]
    let relationships: [Relationship]

    /// The names of all stored properties, sorted. In this order a change of the history numbers them.
    var propertyNames: [String] {
      Self.sorted(attributes.filter { !$0.isTransient }.map(\.name) + relationships.map(\.name))
    }

    /// The names of the attributes whose values the history keeps of deleted rows, in the order of its
    /// columns.
    var keptNames: [String] { Self.sorted(attributes.filter(\.isKeptOnDelete).map(\.name)) }

    private static func sorted(_ names: [String]) -> [String] {
      names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
  }

  var entities: [String: Entity]
}

/// The decoder of a model, which is a keyed archive in a binary property list.
struct ManagedModelReader {
  /// The bits of `NSFlagsKey` that matter here.
  private static let externalFlag = 4
  private static let keptFlag = 16

  private let objects: [PropertyList]

  /// Returns the model in the content of the table Z_MODELCACHE; `nil` if it is in no known form.
  ///
  /// The form is not documented. Where it is unknown, the columns of the tables are used instead.
  static func model(in content: [UInt8]) -> ManagedModel? {
    let isPlain = content.starts(with: Array("bplist00".utf8))
    guard let bytes = isPlain ? content : try? Inflate.bytes(content, limit: 64 << 20),
      let archive = try? PropertyListReader.value(bytes),
      let objects = archive["$objects"]?.array, let top = archive["$top"]
    else { return nil }
    let reader = ManagedModelReader(objects: objects)
    guard let root = reader.resolved(top["root"]), let list = reader.resolved(root["NSEntities"]),
      let entities = reader.values(of: list)
    else { return nil }
    var model = ManagedModel(entities: [:])
    for value in entities {
      guard let entity = reader.entity(value) else { return nil }
      model.entities[entity.name] = entity
    }
    return model.entities.isEmpty ? nil : model
  }

  private func resolved(_ value: PropertyList?) -> PropertyList? {
    guard case .uid(let index)? = value else { return value }
    guard objects.indices.contains(index), objects[index] != .text("$null") else { return nil }
    return objects[index]
  }

  /// The values of an archived dictionary or array.
  private func values(of container: PropertyList) -> [PropertyList]? {
    if let elements = container["NS.objects"]?.array { return elements.compactMap { resolved($0) } }
    // A dictionary of known keys has its values in an array of their own.
    return resolved(container["values"]).flatMap { values(of: $0) }
  }

  private func text(_ value: PropertyList?) -> String? { resolved(value)?.text }

  private func integer(_ value: PropertyList?) -> Int? {
    resolved(value)?.integer.flatMap { Int(exactly: $0) }
  }

  private func className(of value: PropertyList) -> String? {
    text(resolved(value["$class"])?["$classname"])
  }

  private func entity(_ value: PropertyList) -> ManagedModel.Entity? {
    guard let name = text(value["NSEntityName"]), let list = resolved(value["NSProperties"]),
      let properties = values(of: list)
    else { return nil }
    var attributes: [ManagedModel.Attribute] = []
    var relationships: [ManagedModel.Relationship] = []
    for property in properties {
      guard let propertyName = text(property["NSPropertyName"]) else { return nil }
      let isOptional = resolved(property["NSIsOptional"]) == .bool(true)
      if let type = integer(property["NSAttributeType"]) {
        let flags = integer(property["NSFlagsKey"]) ?? 0
        attributes.append(
          .init(
            name: propertyName, type: type, isOptional: isOptional,
            isTransient: resolved(property["NSIsTransient"]) == .bool(true),
            isExternal: flags & Self.externalFlag != 0, isKeptOnDelete: flags & Self.keptFlag != 0))
      } else if className(of: property) == "NSRelationshipDescription" {
        guard
          let destination = text(property["_NSDestinationEntityName"])
            ?? resolved(property["NSDestinationEntity"]).flatMap({ text($0["NSEntityName"]) })
        else { return nil }
        relationships.append(
          .init(
            name: propertyName, destination: destination,
            inverse: text(property["_NSInverseRelationshipName"])
              ?? resolved(property["NSInverseRelationship"]).flatMap { text($0["NSPropertyName"]) },
            isToMany: integer(property["NSMaxCount"]) != 1, isOptional: isOptional,
            deleteRule: integer(property["NSDeleteRule"]) ?? 1))
      }
    }
    return ManagedModel.Entity(
      name: name, superentity: resolved(value["NSSuperentity"]).flatMap { text($0["NSEntityName"]) },
      attributes: attributes.sorted { $0.name < $1.name },
      relationships: relationships.sorted { $0.name < $1.name })
  }
}
