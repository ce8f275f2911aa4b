package import AnnalsCoding
package import AnnalsShapes

extension KindRegistry {
  /// Returns why these records may not be appended, in this order and by one call; `nil` if they may.
  ///
  /// - Parameter known: A record that has a kind.
  package func refusal(
    of records: [RecordKind], known: RecordKind? = nil
  ) -> AnnalsError? {
    // The kinds with those that the records before get.
    var trial: KindRegistry?
    for (index, record) in records.enumerated() {
      if let activated, record.version.map({ $0 < activated }) ?? true {
        return AnnalsError(
          .superseded,
          "version \(activated) of the schema has been activated, and events of \(record.version.map { "version \($0)" } ?? "no version") are not appended any more: use a program whose plan ends at \(activated) or later",
          details: AnnalsError.Details {
            $0.type = record.type.text
            $0.version = record.version
          })
      }
      if let known, known == record { continue }
      if kind(of: record) != nil { continue }
      var next = trial.take() ?? self
      let first = Position(.max - UInt64(records.count - index))
      do throws(Refusal) { _ = try next.register(record, first: first) } catch {
        return AnnalsError(error, record)
      }
      trial = next
    }
    return nil
  }
}

extension KindRegistry {
  /// Returns why a program whose plan ends at a version may not change streams by their names; `nil` if it
  /// may.
  package func refusal(ofNamesFrom plan: SchemaVersion?) -> AnnalsError? {
    guard let plan, let activated, plan < activated else { return nil }
    return AnnalsError(
      .superseded,
      "version \(activated) of the schema has been activated, and the plan ends at \(plan), for which the names of streams may be those of other events; nothing was changed: use a program whose plan ends at \(activated) or later",
      details: AnnalsError.Details { $0.version = plan })
  }
}

extension AnnalsError {
  /// The error for a record that gets no kind.
  package init(_ refusal: KindRegistry.Refusal, _ record: RecordKind) {
    let details = Details {
      $0.type = record.type.text
      $0.version = record.version
    }
    switch refusal {
    case .exhausted:
      self.init(
        .tooLarge, "the store has used up its numbers for schema versions or record types", details: details)
    case .released:
      self.init(
        .shapeChanged,
        "version \(record.version.map(\.description) ?? "none") has been released, and a draft of it adds no shapes to the store: put the change to '\(record.type.text)' into a new version",
        details: details)
    case .shapeChanged(let stored):
      self.init(
        shapeChanged: record.type.text, version: record.version, stored: stored.shape, expected: record.shape)
    }
  }

  /// The error for a released version whose record has another shape than the store has.
  package init(
    shapeChanged type: String, version: SchemaVersion?, stored: StoredShape?, expected: StoredShape?
  ) {
    self.init(
      .shapeChanged,
      "'\(type)' of version \(version.map(\.description) ?? "none") is stored with another shape than the plan gives it: \(StoredShape.difference(stored, expected)); give the record back the shape it was released with, and put the change into a new version",
      details: Details {
        $0.type = type
        $0.version = version
      })
  }
}
