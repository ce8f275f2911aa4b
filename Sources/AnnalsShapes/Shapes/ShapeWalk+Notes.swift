internal import AnnalsCoding

extension ShapeWalk {
  /// Notes a change of the field at `path` with its types in the older and the newer shape.
  ///
  /// - Parameters:
  ///   - kind: The kind of change.
  ///   - old: The older type; `nil` if there is none.
  ///   - new: The newer type; `nil` if there is none.
  ///   - path: The path of the field.
  ///   - isLight: Whether it can be read without a rule, if the kind does not determine that.
  ///   - hasUnknown: For a new case: whether the older choice has a case for unknown ones.
  mutating func note(
    _ kind: ShapeChange.Kind, _ old: Int?, _ new: Int?, at path: String, isLight: Bool? = nil,
    hasUnknown: Bool = false
  ) {
    let before = old.map { older.text($0) }
    let after = new.map { newer.text($0) }
    let readings = kind.readings(hasUnknown: hasUnknown)
    changes.append(
      ShapeChange(
        field: path, kind: kind, stored: isUpgrade ? before : after, wanted: isUpgrade ? after : before,
        verdict: isLight ?? kind.isLight(isUpgrade: isUpgrade) ? .lightweight : .custom,
        backward: readings.backward, forward: readings.forward,
        description: description(kind, before ?? "", after ?? "", at: path, hasUnknown: hasUnknown)))
  }

  /// Returns the start of the declaration that gives the new field at `path` a constant.
  private func constant(at path: String) -> String {
    guard case .record(let fields) = newer.shapes.first else { return "" }
    return "Default(\\.record, \(RecordShape(fields).isReachable(path) ? "" : "at: ")\\.\(path), …)"
  }

  /// Whether one of two types is that of `[UInt8]`, and the other one an integer or an array of integers.
  private static func areBytesAndNumbers(_ before: String, _ after: String) -> Bool {
    let elements = [before, after].map { text in text.filter { !"[]?".contains($0) } }
    let numbers = IntegerShape.allCases.map(\.rawValue)
    return elements.contains("bytes") && elements.contains { numbers.contains($0) }
  }

  private func description(
    _ kind: ShapeChange.Kind, _ before: String, _ after: String, at path: String, hasUnknown: Bool
  ) -> String {
    let field = path.isEmpty ? "the record" : "`\(path)`"
    let rule = "write Upcast(…) in the stage"
    switch kind {
    case .addedOptional: return "\(field) is new as \(after): nil in what was stored before"
    case .addedConstant:
      return "\(field) is new as \(after): what was stored before gets the constant of the stage"
    case .addedRequired:
      return
        "\(field) is new as \(after), and what was stored before has no value for it: give it a constant, \(constant(at: path)), make it optional, or \(rule)"
    case .removedOptional:
      return "\(field), \(before), is gone: its bytes stay but are not read, and older programs read nil"
    case .removedRequired:
      return
        "\(field), \(before), is gone: its bytes stay but are not read, and older programs cannot read what is written from now on without a downcast"
    case .renamed(let original):
      return "\(field) was `\(original)`: it is read under its original name, as \(after)"
    case .possibleRename(let original):
      return
        "\(field) is new and `\(original)`, also \(before), is gone: if they are one field, write @Field(originalName: \"\(original)\"), else say Unrelated(\\.record, old: \\.\(path.sibling(original)), new: \\.\(path)) in the stage, because the values of `\(original)` are not read any more"
    case .reordered: return "\(field) has its parts in another order, which has no effect"
    case .becameOptional:
      return
        "\(field) changed from \(before) to \(after): older programs cannot read it once nil is written"
    case .becameRequired:
      return
        "\(field) changed from \(before) to \(after), and what was stored before may be nil: \(rule), or leave it optional"
    case .widened:
      return
        "\(field) changed from \(before) to \(after), which holds every value: it is widened as it is read"
    case .typeChanged:
      let reason =
        Self.areBytesAndNumbers(before, after)
        ? "`[UInt8]` is stored as bytes, not as an array of numbers"
        : "not every value of the one is a value of the other"
      return "\(field) changed from \(before) to \(after), and \(reason): \(rule)"
    case .caseAdded(let name):
      let readers =
        hasUnknown
        ? "older programs take it for their unknown case"
        : "older programs cannot read it: declare a case for unknown ones before the next case is added"
      return "\(field) has the new case `\(name)`: \(readers)"
    case .caseRemoved(let name):
      return
        "\(field) has lost the case `\(name)`, which may be stored: \(rule) that says what becomes of it, or keep the case"
    case .wrapped: return "\(field) changed from \(before) to \(after): each value becomes an array of one"
    case .unwrapped:
      return
        "\(field) changed from \(before) to \(after), and an array may hold none or several: \(rule) that chooses"
    case .plunged: return "\(field), \(after), is made of fields that were next to it"
    case .hoisted(let inner): return "\(field), \(after), was `\(inner)`"
    case .merged:
      return
        "\(field) changed from \(before) to \(after), and elements or keys that differ may become equal: \(rule)"
    case .subjectChanged(let before?, let after?):
      return
        "\(field) belonged to the person in `\(before)`, and belongs to the one in `\(after)`: older values stay encrypted with the key of the former until a pass; unless that is meant, name `\(before)` in personal: again"
    case .subjectChanged(let before?, nil):
      return
        "\(field) is no longer personal: new values are stored in the clear, and a pass stores the older ones in the clear; unless that is meant, write personal: again, with the property of `\(before)`"
    case .subjectChanged(nil, let after):
      return
        "\(field) becomes personal, of the person in `\(after ?? "")`: older values stay in the clear until a pass"
    case .reused: return "\(field) has a name that another field had: give it another name"
    }
  }
}

extension ShapeChange.Kind {
  /// Returns whether the wanted shape can be read without inventing or deriving a value.
  fileprivate func isLight(isUpgrade: Bool) -> Bool {
    switch self {
    case .addedRequired, .becameRequired, .caseRemoved, .merged: !isUpgrade
    case .removedRequired: isUpgrade
    case .typeChanged, .unwrapped, .reused: false
    default: true
    }
  }

  /// Returns the results for programs of the newer and of the older shape.
  fileprivate func readings(
    hasUnknown: Bool
  ) -> (backward: ShapeChange.Reading, forward: ShapeChange.Reading) {
    switch self {
    case .addedOptional: (.null, .ignored)
    case .addedConstant: (.constant, .ignored)
    case .addedRequired: (.rule, .ignored)
    case .removedOptional: (.ignored, .null)
    case .removedRequired: (.ignored, .downcast)
    case .renamed: (.mapped, .mappedBack)
    case .possibleRename: (.lost, .lost)
    case .reordered, .subjectChanged: (.asIs, .asIs)
    case .becameOptional: (.asIs, .untilNull)
    case .becameRequired: (.rule, .asIs)
    case .widened: (.widened, .narrowed)
    case .typeChanged, .caseRemoved, .merged: (.rule, .downcast)
    case .caseAdded: (.asIs, hasUnknown ? .unknownCase : .error)
    case .wrapped: (.mapped, .onlyElement)
    // An older program does not know the stage's declarations.
    case .plunged, .hoisted: (.mapped, .downcast)
    case .unwrapped: (.rule, .wrapped)
    case .reused: (.none, .none)
    }
  }
}
