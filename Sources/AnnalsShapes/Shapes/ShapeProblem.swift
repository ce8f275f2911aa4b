internal import AnnalsCoding

/// A problem of a shape, and its remedy.
package struct ShapeProblem: Hashable, Sendable {
  /// The path of names to the place, joined by dots; empty for the record as a whole.
  let field: String
  /// The problem and its remedy in a sentence.
  package let description: String

  /// The problem with its place, for a list of problems of one record.
  package var sentence: String { field.isEmpty ? description : "`\(field)`: \(description)" }
}

extension RecordShape {
  /// Returns the problems that prevent this shape from being stored; empty if there are none.
  ///
  /// - Complexity: O(parts · depth).
  package func problems() -> [ShapeProblem] {
    var inspection = ShapeInspection()
    inspection.inspect(.record(fields), at: "", depth: 1)
    if let limit = inspection.parts > ShapeLimits.parts ? .tooMany : exceededLimit {
      switch limit {
      case .tooMany:
        inspection.report(
          "", "it has more than \(ShapeLimits.parts) fields, cases and types: divide it into several records")
      case .tooLarge:
        inspection.report(
          "", "its description is longer than \(ShapeLimits.textSize) bytes: give its fields shorter names")
      default:
        inspection.report("", "its types are nested more than \(ShapeLimits.depth) deep: make them flatter")
      }
    }
    return inspection.problems
  }

  /// The limit that prevents the shape's text from being parsed; `nil` if there is none, or another problem.
  private var exceededLimit: ShapeFailure.Reason? {
    do throws(ShapeFailure) {
      _ = try RecordShape(parsing: text)
      return nil
    } catch {
      return [.tooMany, .tooLarge, .tooDeep].contains(error.reason) ? error.reason : nil
    }
  }
}

/// A walk through a shape that records its problems.
private struct ShapeInspection {
  var problems: [ShapeProblem] = []
  var parts = 0
  /// The records and choices around the place, outermost first.
  private var enclosing: [ValueShape] = []

  mutating func report(_ field: String, _ description: String) {
    problems.append(ShapeProblem(field: field, description: description))
  }

  mutating func inspect(_ shape: ValueShape, at path: String, depth: Int) {
    parts += 1
    guard parts <= ShapeLimits.parts else { return }
    guard depth <= ShapeLimits.depth else {
      report(path, "its type is nested more than \(ShapeLimits.depth) deep: make it flatter")
      return
    }
    switch shape {
    case .optional(var inner):
      var isNested = false
      while case .optional(let next) = inner { (inner, isNested) = (next, true) }
      if isNested {
        report(path, "it is an optional of an optional, and null says only one of the two: remove one `?`")
      }
      // An optional adds no nesting to a payload.
      inspect(inner, at: path, depth: depth)
    case .list(let element), .set(let element):
      inspect(element, at: path, depth: depth + 1)
    case .map(let key, let value):
      inspect(key, at: path, depth: depth + 1)
      inspect(value, at: path, depth: depth + 1)
    case .record(let fields):
      enter(shape, at: path) { inspection in
        inspection.inspect(fields, at: path, depth: depth)
      }
    case .choice(let cases):
      inspectNames(cases.map(\.name), "cases", at: path)
      enter(shape, at: path) { inspection in
        for oneCase in cases {
          inspection.inspect(oneCase.values, at: path.appending(oneCase.name), depth: depth + 1)
        }
      }
    case .enclosing(let level):
      guard !enclosing.indices.contains(enclosing.count - 1 - level) || level < 0 else { break }
      report(
        path,
        "it refers to a type \(level) levels out, but stands in \(enclosing.count): use the shape of a type")
    default: break
    }
  }

  private mutating func inspect(_ fields: [FieldShape], at path: String, depth: Int) {
    inspectNames(fields.map(\.name), "fields", at: path)
    for field in fields {
      inspect(field.shape, at: path.appending(field.name), depth: depth + 1)
    }
  }

  private mutating func enter(
    _ shape: ValueShape, at path: String, _ inspect: (inout ShapeInspection) -> Void
  ) {
    if case .choice(let cases) = shape, cases.isEmpty {
      report(path, "it is a choice without cases, of which there is no value: give it a case")
    } else if !shape.hasValue(in: enclosing.map { _ in true }, depth: ShapeLimits.depth) {
      report(
        path,
        "every value of it contains another one: make the field that leads back to it optional or an array")
    }
    enclosing.append(shape)
    inspect(&self)
    enclosing.removeLast()
  }

  private mutating func inspectNames(_ names: [String], _ what: String, at path: String) {
    var exact: Set<ExactText> = []
    // Swift's own comparison considers texts equal that differ only in normalisation.
    var canonical: Set<String> = []
    for name in names {
      if !exact.insert(ExactText(name)).inserted {
        report(path.appending(name), "two \(what) have this name: rename one of them")
      } else if !canonical.insert(name).inserted {
        report(
          path.appending(name),
          "two \(what) have names that look alike and differ only in Unicode normalisation: rename one of them"
        )
      }
    }
  }
}

extension String {
  /// Returns the path of the sibling `name` of the part at this path.
  package func sibling(_ name: String) -> String {
    split(separator: ".").dropLast().joined(separator: ".").appending(name)
  }

  /// Returns the path of a part called `name` of the part at this path.
  package func appending(_ name: String) -> String {
    isEmpty ? name : "\(self).\(name)"
  }
}

extension ValueShape {
  /// Returns whether a finite value exists; `enclosing` has that result for the records and choices around,
  /// outermost first.
  fileprivate func hasValue(in enclosing: [Bool], depth: Int) -> Bool {
    // Anything deeper is reported as too deep.
    guard depth > 0 else { return true }
    switch self {
    case .record(let fields):
      // The record itself does not exist yet while its fields are made.
      return fields.allSatisfy { $0.shape.hasValue(in: enclosing + [false], depth: depth - 1) }
    case .choice(let cases):
      return cases.contains { oneCase in
        oneCase.values.allSatisfy { $0.shape.hasValue(in: enclosing + [false], depth: depth - 1) }
      }
    case .enclosing(let level):
      let index = enclosing.count - 1 - level
      return enclosing.indices.contains(index) ? enclosing[index] : true
    default: return true
    }
  }
}
