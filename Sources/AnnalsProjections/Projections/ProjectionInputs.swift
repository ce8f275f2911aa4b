internal import AnnalsCoding
internal import AnnalsSchema
internal import AnnalsShapes

/// The inputs that the rows of a view depend on besides the projection: the records passed to it, the steps
/// by which a plan upcasts older records to them, and those that take older events of their names away.
///
/// Two programs with the same inputs fold the same rows from the same log, unless a rule was edited in place,
/// which cannot be detected.
struct ProjectionInputs: Hashable, Sendable {
  /// One input.
  struct Line: Hashable, Sendable {
    /// The kind of an input.
    enum Kind: String, Hashable, Sendable {
      /// A record passed to the projection.
      case record
      /// A record that a rule upcasts to the next version.
      case rule
      /// A record that the next version reads as another type.
      case conversion
      /// The tags by which the projection selects events, as hexadecimal digits in place of a name.
      case query
    }
    var kind: Kind
    /// The name of the record on disk.
    var record: ExactText
    /// The versions before and after the stage; `nil` for a record passed to the projection.
    var from: SchemaVersion?
    var to: SchemaVersion?
    /// The fingerprint of the shape of a record passed to the projection; empty for the other kinds.
    var shape: String
  }

  /// The inputs, unordered.
  let lines: Set<Line>

  init(lines: Set<Line>) {
    self.lines = lines
  }

  /// Finds the inputs of a projection that receives the events of some cases; `nil` means all.
  ///
  /// - Parameter tags: A text that identifies the tags of its query; `nil` for none.
  init(_ plan: CompiledPlan, cases: Set<Int>?, tags: String? = nil) {
    var lines: Set<Line> = []
    if let tags { lines.insert(Line(kind: .query, record: ExactText(tags), shape: "")) }
    for (number, record) in plan.current.records.enumerated() where cases?.contains(number) ?? true {
      lines.insert(
        Line(kind: .record, record: record.name, shape: record.shape?.fingerprint.hexadecimal ?? ""))
      let sources = plan.sources(of: number)
      for source in sources {
        let step = plan.steps[source]
        if let line = Self.crossing(of: ExactText(step.type), step.version, plan) { lines.insert(line) }
      }
      lines.formUnion(Self.departures(from: record.name, plan, unlike: sources))
      // A stage that moves streams may drop any event, and no reader passes it.
      for (stage, versions) in zip(plan.schemas, plan.schemas.dropFirst()).enumerated()
      where plan.stages[stage].movesStreams {
        lines.insert(
          Line(
            kind: .rule, record: record.name, from: versions.0.version, to: versions.1.version, shape: ""))
      }
    }
    self.lines = lines
  }

  /// Describes how the stage after a version changes a record. Returns `nil` if the record is unchanged, and
  /// after the last version.
  private static func crossing(of type: ExactText, _ version: SchemaVersion, _ plan: CompiledPlan) -> Line? {
    guard let schema = plan.schemas.firstIndex(where: { $0.version == version }),
      plan.crossings.indices.contains(schema), let record = plan.schemas[schema].index(of: type)
    else { return nil }
    let kind: Line.Kind
    switch plan.crossings[schema][record] {
    case .carried, .redeclared, .forgotten: return nil
    case .rule: kind = .rule
    case .converted(_, let comparison):
      if comparison.conversion?.isSame == true { return nil }
      kind = .conversion
    }
    return Line(
      kind: kind, record: type, from: version, to: plan.schemas[schema + 1].version, shape: "")
  }

  /// Describes the stages after which no event of a name becomes one of the record that has the name now. The
  /// name was used again.
  ///
  /// - Parameter sources: The steps whose events become ones of that record.
  private static func departures(
    from name: ExactText, _ plan: CompiledPlan, unlike sources: [Int]
  ) -> [Line] {
    let stages = zip(plan.crossings, zip(plan.schemas, plan.schemas.dropFirst()))
    return stages.compactMap { crossings, versions in
      let (older, newer) = versions
      guard let record = older.index(of: name), let step = plan.indices[older.version]?[name],
        !sources.contains(step)
      else { return nil }
      let next = crossings[record].conversion?.to
      // The record of the next version has the name too, and a later stage is described.
      if let next, newer.records[next].name == name { return nil }
      return Line(
        kind: next == nil ? .rule : .conversion, record: name, from: older.version, to: newer.version,
        shape: "")
    }
  }
}

extension ProjectionInputs {
  /// The text stored in a view's file: one line for each input, sorted.
  var text: String {
    lines.map { line in
      let stage = line.from.flatMap { from in line.to.map { "\(from) \($0)" } } ?? line.shape
      return "\(line.kind.rawValue) \(Array(line.record.text.utf8).hexadecimal) \(stage)"
    }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.joined(separator: "\n")
  }

  /// Parses the text from a view's file; `nil` if the text is malformed.
  init?(_ text: String) {
    var lines: Set<Line> = []
    for row in text.utf8.split(separator: UInt8(ascii: "\n")) {
      let words = row.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
        String(decoding: Array($0), as: UTF8.self)
      }
      guard words.count >= 3, let kind = Line.Kind(rawValue: words[0]),
        let name = [UInt8](hexadecimal: Substring(words[1]))
      else { return nil }
      var line = Line(kind: kind, record: ExactText(String(decoding: name, as: UTF8.self)), shape: "")
      switch kind {
      case .record, .query: line.shape = words[2]
      case .rule, .conversion:
        guard words.count == 4, let from = SchemaVersion(words[2]), let to = SchemaVersion(words[3]) else {
          return nil
        }
        (line.from, line.to) = (from, to)
      }
      lines.insert(line)
    }
    self.lines = lines
  }

  /// The names of the tags by which the projection selects events.
  var tagNames: Set<ExactText> {
    var names: Set<ExactText> = []
    for line in lines where line.kind == .query {
      // Each item is its cases and its tags, with a NUL between them and two between items.
      var isCases = true
      for piece in line.record.text.utf8.split(separator: 0, omittingEmptySubsequences: false) {
        if !isCases, !piece.isEmpty {
          names.insert(EventTag(String(decoding: Array(piece), as: UTF8.self)).name)
        }
        isCases = piece.isEmpty
      }
    }
    return names
  }

  /// Explains why rows folded with the `stored` inputs differ from rows folded with these. Returns `nil` if
  /// they are the same.
  ///
  /// - Parameters:
  ///   - stored: The inputs from the view's file.
  ///   - oldest: The plan's oldest version. No entry needs the stages before it any more.
  func reasonToRebuild(from stored: ProjectionInputs, oldest: SchemaVersion?) -> String? {
    var added = lines.subtracting(stored.lines)
    var gone = stored.lines.subtracting(lines).filter { line in
      guard let from = line.from, let oldest else { return true }
      return from >= oldest
    }
    if added.union(gone).contains(where: { $0.kind == .query }) {
      return "the projection selects events by other tags than when the view was folded"
    }
    // A record whose shape has changed is in both sets.
    for line in added.sorted(by: Line.precedes) where line.kind == .record {
      guard let old = gone.first(where: { $0.kind == .record && $0.record == line.record })
      else { continue }
      let stages = added.filter { $0.kind != .record && $0.record == line.record }
      if let stage = stages.sorted(by: Line.precedes).first {
        return "the type '\(line.record.text)' has another shape, to which \(stage.stage)"
      }
      added.remove(line)
      gone.remove(old)
      return "the type '\(line.record.text)' has another shape than when the view was folded"
    }
    if let line = added.sorted(by: Line.precedes).first {
      return line.kind == .record
        ? "the projection is now given events of the type '\(line.record.text)'"
        : "\(line.stage), which was not so when the view was folded"
    }
    if let line = gone.sorted(by: Line.precedes).first {
      return line.kind == .record
        ? "the projection is no longer given events of the type '\(line.record.text)'"
        : "it is no longer so that \(line.stage)"
    }
    return nil
  }
}

extension ProjectionInputs.Line {
  /// The description of a stage, in words.
  fileprivate var stage: String {
    let versions = from.flatMap { from in to.map { "from \(from) to \($0)" } } ?? ""
    return kind == .rule
      ? "the stage \(versions) takes '\(record.text)' by a rule"
      : "the stage \(versions) converts '\(record.text)'"
  }

  /// Orders stages before records, and older stages first, so that the most helpful reason is reported.
  fileprivate static func precedes(_ left: Self, _ right: Self) -> Bool {
    if (left.kind == .record) != (right.kind == .record) { return right.kind == .record }
    if let first = left.from, let second = right.from, first != second { return first < second }
    return left.record < right.record
  }
}
