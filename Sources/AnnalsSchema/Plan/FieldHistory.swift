package import AnnalsCoding
package import AnnalsShapes

/// The field names of the records of each version, oldest version first, to check for reserved names.
package struct FieldHistory {
  /// A record of one version.
  package struct Record {
    package let name: ExactText
    package let formerNames: [ExactText]
    package let reservedNames: [ExactText]
    package let shape: StoredShape?
    /// The record as messages name it; `nil` for a version that the plan no longer has.
    package let problem: PlanProblem.Record?
    /// The stage's declarations about its fields.
    var adjustments: [FieldAdjustment] = []

    package init(
      name: ExactText, formerNames: [ExactText], reservedNames: [ExactText], shape: StoredShape? = nil,
      problem: PlanProblem.Record? = nil, adjustments: [FieldAdjustment] = []
    ) {
      self.name = name
      self.formerNames = formerNames
      self.reservedNames = reservedNames
      self.shape = shape
      self.problem = problem
      self.adjustments = adjustments
    }
  }
  /// One version; `schema` is `nil` if the plan no longer has it.
  package struct Version {
    let schema: PlanProblem.Schema?
    let records: [Record]
    private let numbers: [ExactText: Int]
    private let formerNumbers: [ExactText: Int]

    package init(schema: PlanProblem.Schema?, records: [Record]) {
      self.schema = schema
      self.records = records
      let names = records.enumerated().map { ($0.element.name, $0.offset) }
      numbers = Dictionary(names, uniquingKeysWith: { first, _ in first })
      let formerNames = records.enumerated().flatMap { record in
        record.element.formerNames.map { ($0, record.offset) }
      }
      formerNumbers = Dictionary(formerNames, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the number of the record that succeeds the previous version's record `name`, by its current or
    /// former names.
    func index(following name: ExactText) -> Int? { numbers[name] ?? formerNumbers[name] }

    /// Returns the record called `name`.
    func record(_ name: ExactText) -> Record? { numbers[name].map { records[$0] } }
  }
  /// A field of a version that has a reserved name.
  package struct Reuse {
    /// The number of the version.
    let version: Int
    /// The number of the record in its version.
    let record: Int
    let change: ShapeChange
  }

  /// The versions, oldest first.
  let versions: [Version]

  /// Returns every field that has a reserved name, in the order of versions and records.
  ///
  /// - Complexity: O(all records), and O(versions · records) for each record that changes.
  func reuses() -> [Reuse] {
    versions.indices.flatMap { version in
      versions[version].records.indices.flatMap { record in
        changes(of: record, in: version).map { Reuse(version: version, record: record, change: $0) }
      }
    }
  }

  /// Returns the same fields as problems of the plan.
  package func problems() -> [PlanProblem] {
    reuses().compactMap { reuse in
      let version = versions[reuse.version]
      guard let schema = version.schema, let record = version.records[reuse.record].problem else {
        return nil
      }
      return .reused(record, in: schema, change: reuse.change.description)
    }
  }

  private func changes(of number: Int, in version: Int) -> [ShapeChange] {
    let record = versions[version].records[number]
    guard let shape = record.shape else { return [] }
    // Most records of most versions are unchanged.
    if version > 0, let before = versions[version - 1].record(record.name), before.shape == shape,
      before.reservedNames == record.reservedNames
    {
      return []
    }
    let line = ancestors(of: number, in: version)
    let parents = line.first ?? []
    // The field names of a predecessor that is stored by name are unknown.
    guard parents.isEmpty || parents.contains(where: { $0.shape != nil }) else { return [] }
    let fields = shape.shape.flattened
    let before = RecordShape(parents.flatMap { $0.shape?.shape.flattened.fields ?? [] })
    let reused = ShapeComparison.reusedNames(
      in: fields, after: before,
      earlier: line.dropFirst().flatMap { $0.compactMap { $0.shape?.shape.flattened } }
    ).filter { !isSame($0.field, record, line) }
    let known = Set(before.fields.map { ExactText($0.name) })
    let inherited = Set(line.joined().flatMap(\.reservedNames)).subtracting(known)
    let forbidden = inherited.union(record.reservedNames).subtracting(reused.map { ExactText($0.field) })
    return reused
      + fields.fields.filter { forbidden.contains(ExactText($0.name)) }.map { .reserved($0) }
  }

  /// Returns whether a field had its name before, and had another name or place in between: then the name is
  /// reserved for this same field.
  ///
  /// - Parameter line: The record's predecessors in the previous version, in the one before that, and so on.
  private func isSame(_ field: String, _ record: Record, _ line: [[Record]]) -> Bool {
    let name = field.split(separator: ".", omittingEmptySubsequences: false).map { ExactText(String($0)) }
    var (path, heir) = (name, record)
    for parents in line {
      guard let shape = heir.shape?.shape else { return false }
      var found: (record: Record, path: [ExactText])?
      for parent in parents where found == nil {
        guard let older = parent.shape?.shape else { continue }
        found = FieldOrigin(shape, older, heir.adjustments).path(of: path).map { (parent, $0) }
      }
      guard let found else { return false }
      (heir, path) = found
      if path == name { return true }
    }
    return false
  }

  /// Returns a record's predecessors in the previous version, in the one before that, and so on.
  private func ancestors(of number: Int, in version: Int) -> [[Record]] {
    var names = Set([versions[version].records[number].name])
    names.formUnion(versions[version].records[number].formerNames)
    var heirs: Set<Int> = [number]
    var line: [[Record]] = []
    for earlier in versions[..<version].indices.reversed() {
      let next = versions[earlier + 1]
      let found = versions[earlier].records.enumerated().filter { _, record in
        if let heir = next.index(following: record.name) { return heirs.contains(heir) }
        // The record was missing for a version and has the same name again.
        return names.contains(record.name)
      }
      heirs = Set(found.map(\.offset))
      for (_, record) in found { names.formUnion([record.name] + record.formerNames) }
      line.append(found.map(\.element))
    }
    return line
  }
}

extension RecordShape {
  /// The fields of the record and of all records in it, each named by its path, joined by dots.
  fileprivate var flattened: RecordShape {
    var flat: [FieldShape] = []
    func add(_ shape: ValueShape, at path: String) {
      switch shape {
      case .optional(let inner), .list(let inner), .set(let inner), .map(_, let inner): add(inner, at: path)
      case .record(let fields):
        for field in fields {
          let place = path.appending(field.name)
          flat.append(FieldShape(place, field.shape))
          add(field.shape, at: place)
        }
      case .choice(let cases):
        for oneCase in cases { add(.record(oneCase.values), at: path.appending(oneCase.name)) }
      default: break
      }
    }
    add(.record(fields), at: "")
    return RecordShape(flat)
  }
}

extension ShapeChange {
  /// Returns the change for a field whose name is declared reserved.
  fileprivate static func reserved(_ field: FieldShape) -> ShapeChange {
    ShapeChange(
      field: field.name, kind: .reused, stored: nil, wanted: field.shape.text, verdict: .forbidden,
      backward: .none, forward: .none,
      description:
        "`\(field.name)` is among the record's reserved names, now or in an earlier version: give it another name"
    )
  }
}

extension FieldHistory {
  /// Creates the history of a plan, after that of versions that it no longer has.
  ///
  /// - Parameter released: Returns the released shape of a record that is kept as a tree.
  package init(
    _ outline: ChainOutline, after older: [Version] = [],
    released: (SchemaVersion, ExactText) -> StoredShape? = { _, _ in nil }
  ) {
    versions =
      older
      + outline.schemas.enumerated().map { index, schema in
        let adjustments = index > 0 ? outline.stages[index - 1].adjustments : []
        return Version(
          schema: .init(schema),
          records: schema.records.enumerated().map { number, record in
            Record(
              name: record.name, formerNames: record.formerNames, reservedNames: record.reservedNames,
              shape: record.shape ?? (record.isTree ? released(schema.version, record.name) : nil),
              problem: .init(record),
              adjustments: adjustments.filter { $0.caseIndex == number }.compactMap(\.adjustment))
          })
      }
  }
}
