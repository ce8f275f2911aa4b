internal import AnnalsCoding

extension ShapeWalk {
  /// Maps the fields of the wanted record; `nil` if one of them needs a rule.
  ///
  /// - Parameters:
  ///   - old: The older fields.
  ///   - new: The newer fields.
  ///   - path: The path of the record.
  ///   - areHeld: Whether these are the values of a case, which cannot move into or out of records.
  mutating func fields(
    _ old: [ShapeGraph.Field], _ new: [ShapeGraph.Field], at path: String, areHeld: Bool = false
  ) -> [Mapping]? {
    let hoisted = new.indices.filter { isHoisted(path.appending(new[$0].name)) }
    let matching =
      links.map { FieldMatching(drafts: old, new, $0) }
      ?? FieldMatching(
        old, new, except: Set(hoisted), explained: areHeld ? [] : explained(old, new, at: path))
    for problem in matching.problems {
      report(path.appending(problem.name), problem.description)
    }
    for number in hoisted where matching.older[number] == nil {
      if let place = leaves(old, new, number, matching, at: path) { leaving.insert(ExactText(place)) }
    }
    var pairing = FieldPairing(old, new, partners: matching.older, path: path, isUpgrade: isUpgrade)
    for (number, field) in new.enumerated() {
      let place = path.appending(field.name)
      if let before = matching.older[number] {
        matched(before, number, at: place, in: &pairing)
      } else if areHeld || !moved(number, at: place, in: &pairing) {
        added(number, at: place, in: &pairing)
      }
    }
    removed(in: &pairing)
    let order = matching.older.compactMap { $0 }
    if zip(order, order.dropFirst()).contains(where: { $0 > $1 }) {
      note(.reordered, nil, nil, at: path)
    }
    return pairing.mappings
  }

  /// The older fields that the stage plunges into a record, or removes on purpose.
  private func explained(
    _ old: [ShapeGraph.Field], _ new: [ShapeGraph.Field], at path: String
  ) -> Set<Int> {
    let numbers = FieldMatching.numbers(old)
    let removed = old.indices.filter { number in
      if case .acknowledge = adjustments[ExactText(path.appending(old[number].name))] { true } else { false }
    }
    let plunged = new.flatMap { field -> [Int] in
      guard case .plunge = adjustments[ExactText(path.appending(field.name))],
        case .record(let parts) = newer.nodes[field.type]
      else { return [] }
      return parts.compactMap { $0.number(in: numbers) }
    }
    return Set(removed + plunged)
  }

  private func isHoisted(_ path: String) -> Bool {
    if case .hoist = adjustments[ExactText(path)] { true } else { false }
  }

  /// Returns the path at which the newer part lacks the field that becomes field `number` of the record.
  ///
  /// - Returns: `nil` if the part does not stay, or contains itself: the parts inside it lose the field.
  private func leaves(
    _ old: [ShapeGraph.Field], _ new: [ShapeGraph.Field], _ number: Int, _ matching: FieldMatching,
    at path: String
  ) -> String? {
    guard case .hoist(_, let from) = adjustments[ExactText(path.appending(new[number].name))],
      let outer = FieldMatching.numbers(old)[ExactText(from)],
      let part = matching.older.firstIndex(of: outer),
      case let type = older.required(old[outer].type), case .record(let parts) = older.nodes[type],
      !older.isRecursive(type), let inner = new[number].number(in: FieldMatching.numbers(parts))
    else { return nil }
    return path.appending(new[part].name).appending(parts[inner].name)
  }

  /// Removes and returns the adjustment of the field at `path` if `isWanted` accepts it.
  private mutating func take(
    _ path: String, _ isWanted: (FieldAdjustment) -> Bool
  ) -> FieldAdjustment? {
    let key = ExactText(path)
    guard let adjustment = adjustments[key], isWanted(adjustment) else { return nil }
    return adjustments.removeValue(forKey: key)
  }

  private mutating func matched(_ before: Int, _ number: Int, at path: String, in pairing: inout FieldPairing)
  {
    let (old, new) = (pairing.old[before], pairing.new[number])
    matches.insert(FieldMatch(older: old.id, newer: new.id))
    if ExactText(old.name) != ExactText(new.name) {
      note(.renamed(from: old.name), old.type, new.type, at: path)
    }
    compareSubjects(old, new, at: path, in: pairing)
    if case .list(let element) = newer.nodes[new.type],
      take(path, { if case .wrap = $0 { true } else { false } }) != nil,
      links == nil || !older.isList(old.type)
    {
      if older.isList(old.type), older.arrays(in: old.type) >= newer.arrays(in: new.type) {
        report(path, "the stage wraps it, but it was an array before: remove the wrap")
      }
      note(.wrapped, old.type, new.type, at: path)
      let mapping = value(old.type, element, at: path)
      pairing.set(before, number, mapping.map { isUpgrade ? .wrap($0) : .unwrap($0) })
    } else {
      if newer.shapes[new.type] == .bytes, older.shapes[old.type] != .bytes,
        take(path, { if case .wrap = $0 { true } else { false } }) != nil
      {
        report(
          path, "the stage wraps it, but `[UInt8]` is stored as bytes, which no wrap makes: remove the wrap")
      }
      pairing.set(before, number, value(old.type, new.type, at: path))
    }
  }

  /// Notes whether a value gets, loses or changes its person.
  ///
  /// - Parameters:
  ///   - old: The record's own older field that has the value.
  ///   - new: The newer one.
  ///   - path: The path of the value.
  ///   - pairing: The fields of the two records.
  private mutating func compareSubjects(
    _ old: ShapeGraph.Field, _ new: ShapeGraph.Field, at path: String, in pairing: FieldPairing
  ) {
    switch (old.subject, new.subject) {
    case (nil, nil): return
    case (let before?, let after?) where pairing.areSame(subjects: before, after): return
    case (let before, let after): note(.subjectChanged(from: before, to: after), nil, nil, at: path)
    }
  }

  /// Maps a new field that the stage plunges or hoists, and returns whether it does.
  private mutating func moved(_ number: Int, at path: String, in pairing: inout FieldPairing) -> Bool {
    let field = pairing.new[number]
    let oldNumbers = FieldMatching.numbers(pairing.old)
    switch adjustments[ExactText(path)] {
    case .plunge:
      guard case .record(let parts) = newer.nodes[field.type] else { return false }
      adjustments[ExactText(path)] = nil
      note(.plunged, nil, field.type, at: path)
      var made: [Mapping?] = []
      for (index, part) in parts.enumerated() {
        let place = path.appending(part.name)
        if let before = part.number(in: oldNumbers) {
          if !pairing.used.insert(before).inserted {
            report(
              place,
              "`\(pairing.old[before].name)` is another field of the newer version: remove one of the two")
          }
          compareSubjects(pairing.old[before], field, at: place, in: pairing)
          let mapping = value(pairing.old[before].type, part.type, at: place)
          made.append(mapping.map { .field(before, of: pairing.stored, $0) })
          pairing.take(
            before, mapping.map { .field(number, of: pairing.stored, .field(index, of: parts.count, $0)) })
        } else if case .constant(_, let bytes) = take(
          place, { if case .constant = $0 { true } else { false } })
        {
          checkConstant(bytes, part.type, at: place)
          note(.addedConstant, nil, part.type, at: place)
          constants.append(place)
          made.append(.constant(bytes))
        } else {
          let isOptional = newer.isOptional(part.type)
          note(isOptional ? .addedOptional : .addedRequired, nil, part.type, at: place)
          made.append(isOptional ? .constant([0xf6]) : nil)
        }
      }
      pairing.make(number, FieldPairing.all(made).map { .fields(of: pairing.stored, $0) })
      return true
    case .hoist(_, let from):
      guard let outer = oldNumbers[ExactText(from)],
        case .record(let parts) = older.nodes[older.required(pairing.old[outer].type)],
        let inner = field.number(in: FieldMatching.numbers(parts))
      else { return false }
      adjustments[ExactText(path)] = nil
      note(.hoisted(from: from.appending(parts[inner].name)), parts[inner].type, field.type, at: path)
      compareSubjects(pairing.old[outer], field, at: path, in: pairing)
      let isOptional = older.isOptional(pairing.old[outer].type)
      guard !isOptional || newer.isOptional(field.type) else {
        note(.becameRequired, pairing.old[outer].type, field.type, at: path)
        pairing.make(number, nil)
        return true
      }
      let mapping = value(parts[inner].type, field.type, at: path)
      pairing.hoists[outer, default: [:]][inner] = mapping.map { .field(number, of: pairing.stored, $0) }
      pairing.make(
        number,
        mapping.map { mapping in
          let part = Mapping.field(inner, of: parts.count, mapping)
          return .field(outer, of: pairing.stored, isOptional ? .optional(part) : part)
        })
      return true
    default: return false
    }
  }

  private mutating func added(_ number: Int, at path: String, in pairing: inout FieldPairing) {
    let type = pairing.new[number].type
    if case .constant(_, let bytes) = take(path, { if case .constant = $0 { true } else { false } }) {
      checkConstant(bytes, type, at: path)
      note(.addedConstant, nil, type, at: path)
      constants.append(path)
      pairing.constant.append(number)
      pairing.make(number, .constant(bytes))
    } else if newer.isOptional(type) {
      note(.addedOptional, nil, type, at: path)
      pairing.make(number, .constant([0xf6]))
      pairing.added.append(number)
    } else {
      note(.addedRequired, nil, type, at: path)
      pairing.make(number, nil)
      pairing.added.append(number)
    }
  }

  /// Notes the removed older fields. For an older reader, makes them of null or of the values that were
  /// hoisted out of them.
  private mutating func removed(in pairing: inout FieldPairing) {
    for (number, field) in pairing.old.enumerated() where !pairing.used.contains(number) {
      let path = pairing.path.appending(field.name)
      if let hoisted = pairing.hoists[number],
        case .record(let parts) = older.nodes[older.required(field.type)]
      {
        var made: [Mapping?] = []
        for (index, part) in parts.enumerated() {
          let isOptional = older.isOptional(part.type)
          if hoisted[index] == nil {
            note(
              isOptional ? .removedOptional : .removedRequired, part.type, nil, at: path.appending(part.name))
          }
          made.append(hoisted[index] ?? (isOptional ? .constant([0xf6]) : nil))
        }
        pairing.take(number, FieldPairing.all(made).map { .fields(of: pairing.stored, $0) })
        continue
      }
      let isOptional = older.isOptional(field.type)
      let isHoisted = leaving.contains(ExactText(path))
      if !isHoisted { note(isOptional ? .removedOptional : .removedRequired, field.type, nil, at: path) }
      pairing.take(number, isOptional ? .constant([0xf6]) : nil)
      let isKnown = take(path, { if case .acknowledge = $0 { true } else { false } }) != nil
      let type = older.shapes[field.type].required
      // If more fields than that are new at once, the record was rewritten and guesses are useless.
      let candidates = (pairing.added + pairing.constant).sorted().prefix(64)
      for added in candidates where !isKnown && pairing.new[added].originalName == nil {
        let other = pairing.new[added]
        let place = pairing.path.appending(other.name)
        guard newer.shapes[other.type].required == type, !areUnrelated(path, place), !isHoisted else {
          continue
        }
        note(.possibleRename(from: field.name), field.type, other.type, at: place)
      }
    }
  }

  /// Returns whether the stage declares that two fields are not the same.
  private mutating func areUnrelated(_ old: String, _ new: String) -> Bool {
    let said = unrelated.firstIndex { $0.old == ExactText(old) && $0.new == ExactText(new) }
    guard let said else { return false }
    unrelated.remove(at: said)
    return true
  }

  /// Reports a constant that is not a value of its field.
  private mutating func checkConstant(_ bytes: [UInt8], _ type: Int, at path: String) {
    let shape = RecordShape([FieldShape("", newer.shapes[type])])
    do throws(CodingFailure) {
      try PayloadCheck.validate(bytes.span)
      // A type that refers further out is incomplete without its surroundings: the reader checks its values.
      guard shape.problems().isEmpty else { return }
      var named: [UInt8] = []
      let payload = [0x81] + bytes
      try NamedForm(shape).write(payload.span, to: &named)
    } catch {
      report(path, "its constant is no \(newer.text(type)) (\(error.reason)): correct the constant")
    }
  }
}
