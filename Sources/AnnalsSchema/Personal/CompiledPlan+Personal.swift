package import AnnalsCoding
package import AnnalsShapes

extension CompiledPlan {
  /// Whether a record of any version of the plan has personal fields.
  package var hasPersonalFields: Bool {
    schemas.contains { $0.records.contains { $0.shape?.personal != nil } }
  }

  /// Returns the step at which payloads that a store has begin.
  ///
  /// As ``entrance(of:unversioned:)``, whose steps begin at payloads that are not encrypted.
  package func storedEntrance(
    of kind: RecordKind, unversioned: SchemaVersion? = nil
  ) throws(MissingStep) -> Entrance {
    let entrance = try entrance(of: kind, unversioned: unversioned)
    let step = steps[entrance.step]
    let isTree = isTree(step)
    let unsealing = Unsealing(
      kind, as: step.shape, isNewer: entrance.isNewer, drafts: draftRoots(of: kind, at: entrance.step),
      omitsForgotten: isTree, keys)
    let forgotten = forgottenFields(of: kind, entrance, isSealed: unsealing != nil)
    if unsealing == nil, forgotten == nil { return entrance }
    var payload = entrance.payload
    if unsealing != nil, isTree, let stored = kind.shape {
      payload = step.payload.naming(by: NamedForm(stored.shape.omittingPersonalFields))
    }
    payload = payload.after(unsealing, forgotten) { retyped in
      unsealing?.conversion(retyping: retyped).map(step.payload.preceded)
    }
    return Entrance(step: entrance.step, payload, isNewer: entrance.isNewer)
  }

  /// Returns what replaces values in fields of forgotten people that payloads of `kind` must not become;
  /// `nil` if they stay as they are, or if all values are stored in the clear.
  ///
  /// - Parameter isSealed: Whether values of the payloads are decrypted.
  private func forgottenFields(
    of kind: RecordKind, _ entrance: Entrance, isSealed: Bool
  ) -> ForgottenFields? {
    let step = steps[entrance.step]
    let forms = current.records.map { $0.shape?.personal }
    guard let keys, carried(kind, from: entrance) == nil, forms.contains(where: { $0 != nil }),
      let schema = schemas.firstIndex(where: { $0.version == step.version }),
      let arrivals = indices[current.version]
    else { return nil }
    let hasFold = stages[schema...].contains(where: \.hasFold)
    // A fold takes older records, too, which cross earlier stages.
    let mayUseContext = stages[(hasFold ? 0 : schema)...].contains(where: \.hasContext)
    guard isSealed || mayUseContext || hasFold else { return nil }
    return ForgottenFields(
      forms, current.records.compactMap { arrivals[$0.name].map { steps[$0].payload } },
      mayUseContext: mayUseContext, keys)
  }

  /// Whether the record of a step is a ``TreeRecord``.
  private func isTree(_ step: Step) -> Bool {
    guard step.shape == nil, let schema = schemas.first(where: { $0.version == step.version }) else {
      return false
    }
    return schema.records.contains { $0.isTree && $0.name == ExactText(step.type) }
  }

  /// Returns a payload of `record` as it is stored; `nil` if that is as it is, because nothing is encrypted.
  ///
  /// - Parameters:
  ///   - isNew: Whether it is a new event, and none that a pass writes.
  ///   - opened: People whose values were decrypted for an event that a pass writes.
  /// - Throws: ``AnnalsError`` with code `keyMissing` or `subjectForgotten`, and what the keys throw.
  package func sealed(
    _ payload: Span<UInt8>, as record: RecordKind, isNew: Bool, besides opened: OpenedSubjects? = nil
  ) throws(AnnalsError) -> [UInt8]? {
    guard let form = record.shape?.personal else { return nil }
    guard let keys else { throw AnnalsError.noKeys("a '\(record.type.text)' has fields to encrypt") }
    return try form.seal(payload, of: record.type, with: keys, isNew: isNew, besides: opened).payload
  }

  /// Returns the older form of a new event as it is stored; `nil` if that is as it is, because nothing is
  /// encrypted.
  ///
  /// Data of forgotten people are refused by the event's own form, whose replacements programs know.
  ///
  /// - Throws: As ``sealed(_:as:isNew:)``.
  package func sealedShared(
    _ payload: Span<UInt8>, as record: RecordKind, of event: some SchemaEvent
  ) throws(AnnalsError) -> [UInt8]? {
    guard record.version != current.version, let own = written[event.caseIndex].shape?.personal else {
      return try sealed(payload, as: record, isNew: true)
    }
    let type = written[event.caseIndex].type
    guard let keys else { throw AnnalsError.noKeys("a '\(type.text)' has fields to encrypt") }
    let newest: [UInt8]
    do throws(CodingFailure) { newest = try encode(event).payload } catch {
      throw AnnalsError(malformed: error, what: "a '\(type.text)'")
    }
    let replaced = try own.seal(newest.span, of: type, with: keys, isNew: true).replaced
    guard let form = record.shape?.personal else { return nil }
    let personal = bridge?.fields[event.caseIndex]?.personal
    let holders = bridge?.older.index(of: record.type).flatMap { personal?[$0] }
    return try form.seal(
      payload, of: record.type, with: keys, isNew: true,
      accepting: NewerReplacements(replaced, in: holders ?? [:])
    ).payload
  }
}
