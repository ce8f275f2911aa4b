internal import AnnalsCoding

/// Where a field of a record was in the version before.
struct FieldOrigin {
  private let newer: RecordShape
  private let older: RecordShape
  private let plunged: Set<ExactText>
  private let hoisted: [ExactText: String]

  /// - Parameter adjustments: What the stage between the two says of the record's fields.
  init(_ newer: RecordShape, _ older: RecordShape, _ adjustments: [FieldAdjustment]) {
    self.newer = newer
    self.older = older
    var plunged: Set<ExactText> = []
    var hoisted: [ExactText: String] = [:]
    for adjustment in adjustments {
      switch adjustment {
      case .plunge(let field): plunged.insert(ExactText(field))
      case .hoist(let field, let outer): hoisted[ExactText(field)] = outer
      default: break
      }
    }
    self.plunged = plunged
    self.hoisted = hoisted
  }

  /// The names that led to the field in the older version; `nil` where it was not there.
  ///
  /// - Parameter path: The names that lead to it in the newer version.
  func path(of path: [ExactText]) -> [ExactText]? {
    var (place, origin): (String, [ExactText]) = ("", [])
    var new = ValueShape.record(newer.fields)
    var old = ValueShape.record(older.fields)
    for name in path {
      place = place.appending(name.text)
      switch (new.content, old.content) {
      case (.record(let newFields), .record(let oldFields)):
        guard let field = newFields.first(where: { ExactText($0.name) == name }) else { return nil }
        new = field.shape
        // What was plunged was there without the record around it.
        if plunged.contains(ExactText(place)) { continue }
        if let outer = hoisted[ExactText(place)] {
          guard let around = oldFields.first(where: { ExactText($0.name) == ExactText(outer) }),
            case .record(let parts) = around.shape.content, let part = Self.origin(of: field, in: parts)
          else { return nil }
          origin += [ExactText(around.name), ExactText(part.name)]
          old = part.shape
        } else {
          guard let before = Self.origin(of: field, in: oldFields) else { return nil }
          origin.append(ExactText(before.name))
          old = before.shape
        }
      case (.choice(let newCases), .choice(let oldCases)):
        guard let newCase = newCases.first(where: { ExactText($0.name) == name }),
          let oldCase = oldCases.first(where: { ExactText($0.name) == name })
        else { return nil }
        (new, old) = (.record(newCase.values), .record(oldCase.values))
        origin.append(name)
      default: return nil
      }
    }
    return origin
  }

  /// The field that was called as `field` is, or as it says that it was.
  private static func origin(of field: FieldShape, in fields: [FieldShape]) -> FieldShape? {
    let same = fields.first { ExactText($0.name) == ExactText(field.name) }
    guard let original = field.originalName else { return same }
    if let known = same?.originalName, ExactText(known) == ExactText(original) { return same }
    return fields.first { ExactText($0.name) == ExactText(original) } ?? same
  }
}

extension ValueShape {
  /// The record or choice that values are, or that their elements are.
  fileprivate var content: ValueShape {
    switch self {
    case .optional(let inner), .list(let inner), .set(let inner), .map(_, let inner): inner.content
    default: self
    }
  }
}
