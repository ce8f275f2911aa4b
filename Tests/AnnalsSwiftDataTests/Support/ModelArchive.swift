/// Writes a model in the framework's form: a keyed archive in a binary property list, deflated.
struct ModelArchive {
  /// An attribute: the framework's number of the type.
  struct Attribute {
    var name: String
    var type: Int
    var isOptional = false
    var isTransient = false
    /// 4 for external storage, 16 for a value that is kept on deletion.
    var flags = 0
  }

  struct Relationship {
    var name: String
    var destination: String
    var inverse: String?
    var isToMany = false
  }

  struct Entity {
    var name: String
    var superentity: String?
    var attributes: [Attribute] = []
    var relationships: [Relationship] = []
  }

  private var objects: [PlistNode] = [.text("$null")]
  private var texts: [String: PlistNode] = [:]

  /// The bytes of the table Z_MODELCACHE.
  static func bytes(_ entities: [Entity]) -> [UInt8] {
    var archive = ModelArchive()
    let null = PlistNode.uid(0)
    var numbers: [String: PlistNode] = [:]
    for entity in entities { numbers[entity.name] = archive.add(.dictionary([])) }
    for entity in entities {
      var values: [PlistNode] = []
      for attribute in entity.attributes {
        var pairs: [(String, PlistNode)] = [
          ("$class", archive.type("NSAttributeDescription")), ("NSAttributeType", .integer(attribute.type)),
          ("NSPropertyName", archive.text(attribute.name)), ("NSFlagsKey", .integer(attribute.flags)),
        ]
        if attribute.isTransient { pairs.append(("NSIsTransient", .bool(true))) }
        if attribute.isOptional { pairs.append(("NSIsOptional", .bool(true))) }
        values.append(archive.add(.dictionary(pairs)))
      }
      for relationship in entity.relationships {
        values.append(
          archive.add(
            .dictionary([
              ("$class", archive.type("NSRelationshipDescription")), ("NSIsOptional", .bool(true)),
              ("NSPropertyName", archive.text(relationship.name)), ("NSDeleteRule", .integer(1)),
              ("NSMaxCount", .integer(relationship.isToMany ? 0 : 1)),
              ("_NSDestinationEntityName", archive.text(relationship.destination)),
              ("_NSInverseRelationshipName", relationship.inverse.map { archive.text($0) } ?? null),
            ])))
      }
      let properties = archive.add(.dictionary([("NS.objects", .array(values))]))
      guard case .uid(let index)? = numbers[entity.name] else { continue }
      archive.objects[index] = .dictionary([
        ("$class", archive.type("NSEntityDescription")), ("NSEntityName", archive.text(entity.name)),
        ("NSProperties", properties),
        ("NSSuperentity", entity.superentity.flatMap { numbers[$0] } ?? null),
      ])
    }
    let list = archive.add(.dictionary([("NS.objects", .array(entities.compactMap { numbers[$0.name] }))]))
    let container = archive.add(.dictionary([("values", list)]))
    let root = archive.add(.dictionary([("NSEntities", container)]))
    let plist = PlistNode.dictionary([
      ("$version", .integer(100_000)), ("$archiver", .text("NSKeyedArchiver")),
      ("$top", .dictionary([("root", root)])), ("$objects", .array(archive.objects)),
    ])
    return deflated(plist.bytes)
  }

  private mutating func add(_ node: PlistNode) -> PlistNode {
    objects.append(node)
    return .uid(objects.count - 1)
  }

  private mutating func text(_ text: String) -> PlistNode {
    if let known = texts[text] { return known }
    let node = add(.text(text))
    texts[text] = node
    return node
  }

  private mutating func type(_ name: String) -> PlistNode {
    add(.dictionary([("$classname", text(name))]))
  }

  /// DEFLATE with stored blocks.
  static func deflated(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    for start in stride(from: 0, to: max(bytes.count, 1), by: 65_535) {
      let block = bytes[start..<min(start + 65_535, bytes.count)]
      let count = UInt16(block.count)
      result.append(start + 65_535 >= bytes.count ? 1 : 0)
      result += [UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]
      result += [UInt8(truncatingIfNeeded: ~count), UInt8(~count >> 8)]
      result += block
    }
    return result
  }
}

/// A value of a binary property list to be written.
indirect enum PlistNode {
  case bool(Bool), integer(Int), text(String), uid(Int), array([PlistNode]), dictionary([(String, PlistNode)])

  /// The bytes of a list with this value.
  var bytes: [UInt8] {
    var writer = PlistWriter()
    _ = writer.add(self)
    return writer.finish()
  }
}

private struct PlistWriter {
  private var encoded: [[UInt8]] = []

  mutating func add(_ node: PlistNode) -> Int {
    let index = encoded.count
    encoded.append([])
    switch node {
    case .bool(let flag): encoded[index] = [flag ? 9 : 8]
    case .integer(let number): encoded[index] = [0x13] + Self.number(number, 8)
    case .uid(let number): encoded[index] = [0x81] + Self.number(number, 2)
    case .text(let text):
      let units = Array(text.utf16)
      encoded[index] =
        text.utf8.allSatisfy { $0 < 128 }
        ? Self.head(5, units.count) + Array(text.utf8)
        : Self.head(6, units.count) + units.flatMap { Self.number(Int($0), 2) }
    case .array(let elements):
      let references = elements.map { add($0) }
      encoded[index] = Self.head(10, elements.count) + references.flatMap { Self.number($0, 2) }
    case .dictionary(let pairs):
      let references = pairs.map { add(.text($0.0)) } + pairs.map { add($0.1) }
      encoded[index] = Self.head(13, pairs.count) + references.flatMap { Self.number($0, 2) }
    }
    return index
  }

  func finish() -> [UInt8] {
    var bytes = Array("bplist00".utf8)
    var offsets: [Int] = []
    for object in encoded {
      offsets.append(bytes.count)
      bytes += object
    }
    let table = bytes.count
    bytes += offsets.flatMap { Self.number($0, 4) }
    bytes += [0, 0, 0, 0, 0, 0, 4, 2]
    return bytes + Self.number(encoded.count, 8) + Self.number(0, 8) + Self.number(table, 8)
  }

  private static func head(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 15, 0x13] + number(count, 8)
  }

  private static func number(_ number: Int, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * (size - 1 - $0))) }
  }
}
