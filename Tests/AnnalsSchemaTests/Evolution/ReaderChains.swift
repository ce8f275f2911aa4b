@testable import AnnalsSchema
@testable import AnnalsShapes

/// A random chain of versions, in which every record and field has an identity independent of its name.
struct ReaderChain {
  /// A field; equal ids are one field, in all versions and under all names.
  struct Field {
    var id: Int
    var name: String
    var original: String?
    var isOptional: Bool
    /// The width of a whole number; 0 for a text, -1 for a part of the record.
    var width: Int
    var parts: [Field] = []
  }
  struct Record {
    var id: Int
    var name: String
    var formerNames: [String] = []
    var fields: [Field]
    /// Records with the same number have the same Swift type.
    var type: Int
  }
  /// What a stage says of the records of its older version, by their place there.
  enum Change {
    case carried, converted
    case ruled(to: Int)
    case dropped
  }

  private(set) var versions: [[Record]] = []
  private(set) var outline: ChainOutline
  private var next = 0
  private var types: [TypeToken] = []
  /// The names of new fields.
  private var fresh = Self.names
  /// The last number of new versions.
  private var patch: UInt32 = 0

  final class TypeToken {}
  private static let names = ["a", "b", "c", "d", "e"]
  private static let recordNames = ["R", "S", "T"]

  /// A chain of `count` versions that holds together.
  ///
  /// - Parameter isAdditive: Whether nothing is done but adding optional fields and fields with constants,
  ///   widening and reordering.
  init(_ count: Int, isAdditive: Bool, using generator: inout SeededGenerator) {
    outline = ChainOutline(schemas: [], stages: [])
    var first: [Record] = []
    for name in Self.recordNames.prefix(Int.random(in: 1...2, using: &generator)) {
      first.append(newRecord(name, &generator))
    }
    versions = [first]
    outline = ChainOutline(schemas: [schema(first, at: 0)], stages: [])
    grow(to: count, isAdditive: isAdditive, using: &generator)
  }

  /// Adds versions until there are `count`.
  mutating func grow(to count: Int, isAdditive: Bool, using generator: inout SeededGenerator) {
    while versions.count < count {
      var trial = self
      trial.grow(isAdditive, &generator)
      next = trial.next
      // A name that comes back with another type, or a former name that leads to two records, is not allowed.
      if trial.outline.problems().isEmpty { self = trial }
    }
  }

  /// The chain of a program that goes another way from the newest version on: with new fields of other
  /// names, and other numbers of versions.
  var branch: ReaderChain {
    var branch = self
    branch.next += 1000
    branch.fresh = ["f", "g", "h", "i", "j"]
    branch.patch = 1
    return branch
  }

  private mutating func number() -> Int {
    next += 1
    return next
  }

  private mutating func newType() -> Int {
    types.append(TypeToken())
    return types.count - 1
  }

  private mutating func newField(
    _ name: String, isOptional: Bool, nested: Bool, _ generator: inout SeededGenerator
  ) -> Field {
    let kind = Int.random(in: 0..<(nested ? 3 : 4), using: &generator)
    var field = Field(
      id: number(), name: name, original: nil, isOptional: isOptional, width: [0, 16, 32, -1][kind])
    if kind == 3 {
      for name in ["x", "y"] {
        let isOptional = Bool.random(using: &generator)
        field.parts.append(newField(name, isOptional: isOptional, nested: true, &generator))
      }
    }
    return field
  }

  private mutating func newRecord(_ name: String, _ generator: inout SeededGenerator) -> Record {
    var record = Record(id: number(), name: name, fields: [], type: newType())
    for name in fresh.prefix(Int.random(in: 1...3, using: &generator)) {
      let isOptional = Bool.random(using: &generator)
      record.fields.append(newField(name, isOptional: isOptional, nested: false, &generator))
    }
    return record
  }

  /// Adds a version.
  private mutating func grow(_ isAdditive: Bool, _ generator: inout SeededGenerator) {
    let older = versions[versions.count - 1]
    var newer: [Record] = []
    var rules: [RuleOutline] = []
    var adjustments: [AdjustmentOutline] = []
    for (place, old) in older.enumerated() {
      var record = old
      record.formerNames = []
      switch isAdditive ? Int.random(in: 2..<8, using: &generator) : Int.random(in: 0..<12, using: &generator)
      {
      case 0:
        rules.append(
          Bool.random(using: &generator)
            ? RuleOutline(word: .drop, caseIndex: place, effect: .nothing(reason: "gone"))
            : RuleOutline(word: .retain, caseIndex: place, effect: .retained))
        continue
      case 1:
        // A rule makes another record of it, in the same shape or in another one.
        rules.append(RuleOutline(word: .upcast, caseIndex: place, effect: .cases([newer.count])))
        if Bool.random(using: &generator) {
          record = newRecord(old.name, &generator)
        } else {
          record.id = number()
          record.fields = record.fields.map { renumbered($0) }
        }
      case 2, 3: break
      default:
        record.type = newType()
        var constants: [FieldAdjustment] = []
        if !isAdditive, Int.random(in: 0..<6, using: &generator) == 0,
          let name = Self.recordNames.first(where: { name in !older.contains { $0.name == name } })
        {
          record.formerNames = [old.name]
          record.name = name
        }
        for index in record.fields.indices where Bool.random(using: &generator) {
          record.fields[index].original = nil
        }
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
          edit(&record.fields, old.names, isAdditive, &constants, &generator)
        }
        let number = newer.count
        adjustments += constants.map { AdjustmentOutline(caseIndex: number, word: "Default", adjustment: $0) }
      }
      if !newer.contains(where: { $0.name == record.name }) { newer.append(record) }
    }
    // A name that is free may come back for a record that has nothing to do with the one that had it.
    if !isAdditive, Bool.random(using: &generator),
      let name = Self.recordNames.first(where: { name in
        !newer.contains { $0.name == name } && !older.contains { $0.name == name }
      })
    {
      newer.append(newRecord(name, &generator))
    }
    let to = schema(newer, at: versions.count)
    var stage = StageOutline(rules: rules, adjustments: adjustments, isLightweight: false, hasContext: false)
    if !isAdditive, Int.random(in: 0..<30, using: &generator) == 0 { stage.streamRules = 1 }
    let from = outline.schemas[outline.schemas.count - 1]
    outline = outline.adding(stage, stage.crossings(from: from, to: to), to: to)
    versions.append(newer)
  }

  private mutating func renumbered(_ field: Field) -> Field {
    var field = field
    field.id = number()
    field.parts = field.parts.map { renumbered($0) }
    return field
  }

  /// Makes a lightweight change to fields.
  private mutating func edit(
    _ fields: inout [Field], _ known: Set<String>, _ isAdditive: Bool,
    _ constants: inout [FieldAdjustment], _ generator: inout SeededGenerator, nested: Bool = false
  ) {
    let free = Self.names.filter { name in !fields.contains { $0.name == name } }
    let new = fresh.filter { name in !fields.contains { $0.name == name } }
    let change = Int.random(in: 0..<(isAdditive ? 4 : 9), using: &generator)
    switch change {
    case 0:
      // What the version before calls so is the same field, unless a version lies between.
      guard let name = new.randomElement(using: &generator), !known.contains(name) else { return }
      fields.append(newField(name, isOptional: true, nested: true, &generator))
    case 1:
      guard let name = new.randomElement(using: &generator), !nested, !known.contains(name) else {
        return
      }
      fields.append(Field(id: number(), name: name, original: nil, isOptional: false, width: 32))
      constants.append(.constant(field: name, bytes: [7]))
    case 2: fields.shuffle(using: &generator)
    case 3:
      guard let index = fields.indices.randomElement(using: &generator),
        [16, 32].contains(fields[index].width)
      else { return }
      // A constant would have to be widened with it.
      fields[index].width *= 2
    case 4, 5:
      guard let index = fields.indices.randomElement(using: &generator) else { return }
      let field = fields.remove(at: index)
      constants.removeAll { $0.field == field.name }
    case 6:
      guard let index = fields.indices.randomElement(using: &generator),
        let name = free.randomElement(using: &generator), fields[index].original == nil
      else { return }
      let field = fields[index]
      guard !constants.contains(where: { $0.field == field.name }) else { return }
      fields[index].original = field.name
      fields[index].name = name
    case 7:
      guard let index = fields.indices.randomElement(using: &generator) else { return }
      fields[index].isOptional = true
    default:
      guard let index = fields.indices.randomElement(using: &generator), fields[index].width == -1 else {
        return
      }
      edit(&fields[index].parts, known, isAdditive, &constants, &generator, nested: true)
    }
  }

  private func schema(_ records: [Record], at index: Int) -> SchemaOutline {
    SchemaOutline(
      name: "V\(index + 1)", version: SchemaVersion(UInt32(index) + 1, 0, patch), stability: .released,
      records: records.map { record in
        RecordOutline(
          caseName: record.name.lowercased(), name: ExactText(record.name),
          formerNames: record.formerNames.map { ExactText($0) }, reservedNames: [],
          shape: StoredShape(RecordShape(record.fields.map(\.shape))),
          isTree: false, type: ObjectIdentifier(types[record.type]),
          typeName: record.name, samples: { () throws(CodingFailure) in [] })
      })
  }
}

extension ReaderChain.Record {
  /// What the record and its parts call their fields.
  var names: Set<String> { Set(fields.map(\.name) + fields.flatMap { $0.parts.map(\.name) }) }
}

extension ReaderChain.Field {
  var shape: FieldShape {
    let value: ValueShape =
      switch width {
      case -1: .record(parts.map(\.shape))
      case 0: .text
      default: .integer(width == 16 ? .int16 : width == 32 ? .int32 : .int64)
      }
    return FieldShape(name, originalName: original, isOptional ? .optional(value) : value)
  }

  /// The value that the field has in every event: no two fields have the same.
  var value: CBOR {
    switch width {
    case -1: .array(parts.map(\.value))
    case 0: .text("t\(id)")
    default: CBOR(integerLiteral: id)
    }
  }

  /// What a program that has this field gets of a record with the fields `newer`; `nil` where there is
  /// nothing that it could be given.
  func read(from newer: [ReaderChain.Field]) -> CBOR? {
    guard let field = newer.first(where: { $0.id == id }) else { return isOptional ? .null : nil }
    guard width == -1 else { return field.value }
    var values: [CBOR] = []
    for part in parts {
      guard let value = part.read(from: field.parts) else { return nil }
      values.append(value)
    }
    return .array(values)
  }
}
