internal import AnnalsCoding
internal import AnnalsShapes

/// The origin of a record's fields in the previous version.
struct FieldOrigin {
  private let newer: RecordShape
  private let older: RecordShape
  private let plunged: Set<ExactText>
  private let hoisted: [ExactText: String]

  /// - Parameter adjustments: The declarations about the record's fields in the stage between the two.
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

  /// Returns the path of names to the field in the older version; `nil` if it did not exist.
  ///
  /// - Parameter path: The path of names to it in the newer version.
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
        // A plunged field existed without the record around it.
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

  /// Returns the field with the name of `field`, or with its original name.
  private static func origin(of field: FieldShape, in fields: [FieldShape]) -> FieldShape? {
    let same = fields.first { ExactText($0.name) == ExactText(field.name) }
    guard let original = field.originalName else { return same }
    if let known = same?.originalName, ExactText(known) == ExactText(original) { return same }
    return fields.first { ExactText($0.name) == ExactText(original) } ?? same
  }
}

extension ValueShape {
  /// The record or choice of a value, or of its elements.
  fileprivate var content: ValueShape {
    switch self {
    case .optional(let inner), .list(let inner), .set(let inner), .map(_, let inner): inner.content
    default: self
    }
  }
}
