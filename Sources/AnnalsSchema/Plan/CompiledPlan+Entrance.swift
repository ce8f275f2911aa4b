package import AnnalsCoding
package import AnnalsShapes

extension CompiledPlan {
  /// The step of a plan at which payloads of a stored kind begin.
  package final class Entrance: Sendable {
    /// The number of the step in the plan.
    package let step: Int
    /// The step for a payload as it is stored.
    package let payload: PayloadStep
    /// Whether the payloads belong to a version above the plan's.
    package let isNewer: Bool

    init(step: Int, _ payload: PayloadStep, isNewer: Bool = false) {
      self.step = step
      self.payload = payload
      self.isNewer = isNewer
    }

    /// Appends the current events of a stored payload to `buffer`, in order; after an error, none of them.
    ///
    /// - Parameters:
    ///   - stored: The payload as it was stored.
    ///   - origin: The origin of the entry.
    ///   - buffer: A buffer for the plan's current event.
    package func upcast(
      _ stored: Span<UInt8>, _ origin: Origin, into buffer: EventBuffer
    ) throws(StepFailure) {
      let before = buffer.count
      do throws(StepFailure) { try payload.run(stored, origin, buffer) } catch {
        buffer.keep(first: before)
        throw error
      }
    }
  }

  /// Returns the step at which payloads of a stored kind begin.
  ///
  /// - Parameters:
  ///   - kind: The kind, with the stability that its version has in the store.
  ///   - unversioned: The version for events without one, if their adoption has been checked.
  /// - Throws: The reason why the plan cannot read them.
  package func entrance(of kind: RecordKind, unversioned: SchemaVersion? = nil) throws(MissingStep)
    -> Entrance
  {
    guard let version = kind.version ?? unversioned else {
      throw adopted == nil ? .unversioned : .notAdopted
    }
    guard let records = indices[version] else {
      if version > current.version { return try newer(kind) }
      if let oldest = schemas.first?.version, version < oldest {
        throw .olderVersion(oldest: oldest, lastRelease: lastRelease(reading: version))
      }
      throw .unknownVersion
    }
    guard let index = records[kind.type] else { throw .unknownType(in: version) }
    let step = steps[index]
    switch (kind.shape, step.shape) {
    case (nil, nil): return Entrance(step: index, step.payload)
    case (nil, let wanted?): return Entrance(step: index, step.payload.reading(by: wanted.names))
    case (let stored?, nil): return Entrance(step: index, step.payload.naming(by: stored.names))
    case (let stored?, let wanted?):
      if stored == wanted { return Entrance(step: index, step.payload) }
      guard kind.stability == .draft else { throw .shapeChanged(stored: stored, expected: wanted) }
      let comparison = ShapeComparison(
        from: stored.shape, to: wanted.shape, drafts: draftRoots(of: kind, at: index))
      guard let conversion = comparison.conversion else {
        throw .draftChanged(stored: stored, expected: wanted, reasons: comparison.obstacles)
      }
      return Entrance(step: index, step.payload.preceded(by: conversion))
    }
  }

  /// Returns what drafts of the record at a step have in common; `nil` if `kind` is of no draft, or if the
  /// stage to its version has a rule for the record or leads from no record.
  package func draftRoots(of kind: RecordKind, at step: Int) -> DraftRoots? {
    let step = steps[step]
    guard kind.stability == .draft, let schema = schemas.firstIndex(where: { $0.version == step.version }),
      schema > 0, let record = schemas[schema].index(of: ExactText(step.type)),
      let older = crossings[schema - 1].firstIndex(where: { $0.conversion?.to == record }),
      let previous = schemas[schema - 1].records[older].shape
    else { return nil }
    return DraftRoots(
      previous: previous.shape, adjustments: stages[schema - 1].adjustments(of: record))
  }

  /// Returns the last release of the program that reads a version below the plan's oldest one: the release
  /// for the nearest version at or below it.
  private func lastRelease(reading version: SchemaVersion) -> String? {
    lastReleases.filter { $0.key <= version }.max { $0.key < $1.key }?.value
  }

  /// Returns the entrance for payloads of a version above the plan's: the current record with their name.
  ///
  /// An equal name and shape do not prove that they are the same record: the plan that wrote them has
  /// recorded which versions can read them. A number says nothing of versions that this plan does not share
  /// with it, so the plan's own stages must agree.
  private func newer(_ kind: RecordKind) throws(MissingStep) -> Entrance {
    guard let oldest = kind.oldestReader, oldest <= current.version, let stored = kind.shape else {
      throw .newerVersion(kind, current: current.version)
    }
    guard let number = current.index(of: kind.type), let index = indices[current.version]?[kind.type],
      let wanted = steps[index].shape, outline.reads(stored, as: number, from: oldest)
    else { throw .otherBranch(current: current.version) }
    let comparison = ShapeComparison(from: stored.shape, to: wanted.shape, direction: .downgrade)
    guard let conversion = comparison.conversion else { throw .newerVersion(kind, current: current.version) }
    return Entrance(step: index, steps[index].payload.preceded(by: conversion), isNewer: true)
  }

  /// Appends the current events of a stored payload to `buffer`, in order; after an error, none of them.
  ///
  /// - Parameters:
  ///   - entrance: The entrance for payloads of its kind.
  ///   - payload: The payload as it was stored.
  ///   - origin: The origin of the entry.
  ///   - buffer: A buffer for the plan's current event.
  package func upcast(
    _ entrance: Entrance, payload: Span<UInt8>, origin: Origin, into buffer: EventBuffer
  ) throws(UpcastFailure) {
    do throws(StepFailure) { try entrance.upcast(payload, origin, into: buffer) } catch {
      throw failure(at: entrance, error)
    }
  }

  /// The failure of a payload that enters the plan at `entrance`.
  package func failure(at entrance: Entrance, _ failure: StepFailure) -> UpcastFailure {
    UpcastFailure(version: steps[entrance.step].version, type: steps[entrance.step].type, failure: failure)
  }
}
