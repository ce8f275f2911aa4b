internal import AnnalsCoding

/// A parallel walk through an older and a newer shape.
struct ShapeWalk {
  let older: ShapeGraph
  let newer: ShapeGraph
  let direction: ShapeComparison.Direction
  var changes: [ShapeChange] = []
  var problems: [ShapeProblem] = []
  var constants: [String] = []
  /// The pairs of fields of the two shapes that are the same.
  var matches: Set<FieldMatch> = []
  /// The fields of the version before, if the two shapes are drafts of one version.
  var links: DraftRoots.Links?
  /// The definitions for the calls of the mapping.
  private(set) var definitions: [Mapping] = []
  /// The older fields that the stage hoists out of parts that stay, by their path in the newer shape.
  var leaving: Set<ExactText> = []
  /// The stage's declarations, by the path of the field.
  var adjustments: [ExactText: FieldAdjustment] = [:]
  /// The pairs of fields that the stage declares different, until they are found.
  var unrelated: [(old: ExactText, new: ExactText)] = []
  /// The places where different elements or keys must remain different.
  private var apart: [(Mapping, path: String, older: Int, newer: Int)] = []
  private var pairs: [Pair: Visit] = [:]
  /// The forms by name of older values that become an ``AnyValue``.
  private var names = AnyValueForms()

  private struct Pair: Hashable {
    let older: Int
    let newer: Int
  }
  /// A record or choice on the way; it has a definition once it was visited again.
  private struct Visit {
    var definition: Int?
    var mapping: Mapping?
    var isDone = false
  }

  init(
    older: ShapeGraph, newer: ShapeGraph, adjustments: [FieldAdjustment], direction: ShapeComparison.Direction
  ) {
    self.older = older
    self.newer = newer
    self.direction = direction
    for adjustment in adjustments {
      if case .unrelated(let old, let new) = adjustment {
        unrelated.append((ExactText(old), ExactText(new)))
        continue
      }
      if let other = self.adjustments.updateValue(adjustment, forKey: ExactText(adjustment.field)) {
        report(
          adjustment.field,
          "the stage has a \(other.word) and a \(adjustment.word) for it: remove one of the two")
      }
    }
  }

  var isUpgrade: Bool { direction == .upgrade }

  /// Compares everything; `nil` if some value of the wanted shape cannot be made.
  mutating func walk() -> Mapping? {
    let mapping = value(0, 0, at: "")
    // What the stage says of a field that the earlier draft has already is done.
    if links != nil { adjustments = [:] }
    for adjustment in adjustments.values.sorted(by: { ExactText($0.field) < ExactText($1.field) }) {
      report(
        adjustment.field,
        "the stage has a \(adjustment.word) for it that applies to nothing: correct its name\(candidates(for: adjustment)) or remove it"
      )
    }
    adjustments = [:]
    for (old, new) in unrelated {
      report(
        new.text,
        "the stage has an Unrelated for it and `\(old.text)`, and these are not a field that is gone and a new one of its type: correct the names or remove it"
      )
    }
    checkApart()
    return mapping
  }

  /// Returns the fields that still need a constant, for the message about one that applies to nothing.
  private func candidates(for adjustment: FieldAdjustment) -> String {
    guard case .constant = adjustment else { return "" }
    let fields = changes.filter { $0.kind == .addedRequired }.prefix(8).map { "`\($0.field)`" }
    return fields.isEmpty ? "" : " (without a value: \(fields.joined(separator: ", ")))"
  }

  mutating func report(_ field: String, _ description: String) {
    problems.append(ShapeProblem(field: field, description: description))
  }

  /// Maps the stored one of two types to the wanted one; if that is impossible, notes a change and returns
  /// `nil`.
  mutating func value(_ old: Int, _ new: Int, at path: String) -> Mapping? {
    if newer.shapes[new] == .any, older.shapes[old] != .any, older.shapes[old].hasAnyForm {
      note(.widened, old, new, at: path)
      return names.mapping(of: old, in: older, isUpgrade: isUpgrade)
    }
    switch (older.nodes[old], newer.nodes[new]) {
    case (.optional(let old), .optional(let new)):
      return value(old, new, at: path).map { .optional($0) }
    case (_, .optional(let inner)):
      guard let mapping = value(old, inner, at: path) else { return nil }
      note(.becameOptional, old, new, at: path)
      // Null is left for the reader to refuse, which knows that its type has none.
      return isUpgrade ? mapping : .optional(mapping)
    case (.optional(let inner), _):
      let mapping = value(inner, new, at: path)
      note(.becameRequired, old, new, at: path)
      return isUpgrade ? nil : mapping
    case (.list(let old), .list(let new)): return value(old, new, at: path).map { .list($0) }
    case (.set(let oldElement), .set(let newElement)):
      guard let mapping = value(oldElement, newElement, at: path) else { return nil }
      apart.append((mapping, path, old, new))
      return .set(mapping)
    case (.map(let oldKey, let oldValue), .map(let newKey, let newValue)):
      let key = value(oldKey, newKey, at: path)
      let value = value(oldValue, newValue, at: path)
      guard let key, let value else { return nil }
      apart.append((key, path, old, new))
      let olderPairs = older.shapes[oldKey] != .text
      let newerPairs = newer.shapes[newKey] != .text
      return .map(
        key: key, value: value, fromPairs: isUpgrade ? olderPairs : newerPairs,
        toPairs: isUpgrade ? newerPairs : olderPairs)
    case (.record(let oldFields), .record(let newFields)):
      return visit(old, new) { walk in
        let count = walk.isUpgrade ? oldFields.count : newFields.count
        return walk.fields(oldFields, newFields, at: path).map { .fields(of: count, $0) }
      }
    case (.choice(let oldCases), .choice(let newCases)):
      return visit(old, new) { walk in
        walk.cases(oldCases, newCases, old, new, at: path).map { .choice($0) }
      }
    case (.scalar, .scalar): return scalar(old, new, at: path)
    default: return structure(old, new, at: path)
    }
  }

  private mutating func scalar(_ old: Int, _ new: Int, at path: String) -> Mapping? {
    let (before, after) = (older.shapes[old], newer.shapes[new])
    guard before != after else { return .same }
    let widening = Mapping.widening(before, to: after)
    var mapping = widening
    if !isUpgrade {
      mapping =
        Mapping.widening(after, to: before) ?? (widening == nil ? nil : Mapping.narrowing(after, to: before))
    }
    note(widening == nil ? .typeChanged : .widened, old, new, at: path, isLight: mapping != nil)
    return mapping
  }

  /// Maps two types of different structure: a value and an array of it, or nothing in common.
  private mutating func structure(_ old: Int, _ new: Int, at path: String) -> Mapping? {
    if !isUpgrade {
      // An older program cannot know the stage's declarations, but a value and an array of it have the same
      // meaning.
      if case .list(let element) = newer.nodes[new], let mapping = attempt(old, element, at: path) {
        note(.wrapped, old, new, at: path)
        return .unwrap(mapping)
      }
      if case .list(let element) = older.nodes[old], let mapping = attempt(element, new, at: path) {
        note(.unwrapped, old, new, at: path, isLight: true)
        return .wrap(mapping)
      }
    }
    if older.isList(old), newer.shapes[newer.required(new)] != .bytes {
      note(.unwrapped, old, new, at: path)
    } else {
      note(.typeChanged, old, new, at: path)
    }
    return nil
  }

  /// Returns the mapping of two types if there is one; otherwise notes nothing.
  private mutating func attempt(_ old: Int, _ new: Int, at path: String) -> Mapping? {
    let before = self
    let mapping = value(old, new, at: path)
    if mapping == nil { self = before }
    return mapping
  }

  /// Maps a record or choice, each pair once: types that contain themselves return to it with a call.
  private mutating func visit(_ old: Int, _ new: Int, _ map: (inout ShapeWalk) -> Mapping?) -> Mapping? {
    let pair = Pair(older: old, newer: new)
    if var known = pairs[pair] {
      if known.isDone, known.mapping == nil { return nil }
      let definition = known.definition ?? definitions.count
      if known.definition == nil {
        definitions.append(known.mapping ?? .same)
        known.definition = definition
        pairs[pair] = known
      }
      return .call(definition)
    }
    pairs[pair] = Visit()
    let mapping = map(&self)
    let definition = pairs[pair]?.definition
    pairs[pair] = Visit(definition: definition, mapping: mapping, isDone: true)
    guard let mapping, let definition else { return mapping }
    definitions[definition] = mapping
    return .call(definition)
  }

  /// Notes sets and maps in which elements or keys could become equal.
  private mutating func checkApart() {
    // As with definitions that change nothing: the result is what remains after removing all that do not keep
    // values apart.
    var known = Set(definitions.indices)
    var count: Int
    repeat {
      count = known.count
      known = known.filter { definitions[$0].keepsApart(known) }
    } while known.count < count
    for (mapping, path, old, new) in apart where !mapping.keepsApart(known) {
      note(.merged, old, new, at: path)
    }
  }
}
