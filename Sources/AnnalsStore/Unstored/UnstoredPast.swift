package import AnnalsCoding
package import AnnalsSchema

/// Finds earlier entries of a log that is in no store.
package final class UnstoredPast: StreamPast {
  private let entries: [(form: StoredForm, origin: Origin)]
  /// The numbers of the entries of each stream.
  private let streams: [StreamName: [Int]]
  private let plan: CompiledPlan

  /// - Parameters:
  ///   - entries: The log.
  ///   - plan: The plan that reads it.
  /// - Returns: `nil` for a plan without folds, which never looks back.
  init?(_ entries: [(form: StoredForm, origin: Origin)], _ plan: CompiledPlan) {
    guard !plan.beforeFolds.isEmpty else { return nil }
    self.entries = entries
    self.plan = plan
    streams = Dictionary(grouping: entries.indices) { entries[$0].origin.stream }
  }

  package func walk(
    back origin: Origin, to first: Revision, before version: SchemaVersion, into room: GroupBuffer,
    _ goesOn: () -> Bool
  ) throws(AnnalsError) {
    guard var before = plan.beforeFolds[version] else { return }
    before.adopted = plan.adopted
    // The parts of an entry are delivered together, as those of a stored one are.
    var parts: ArraySlice<Int> = []
    for number in (streams[origin.stream] ?? []).reversed() {
      let place = entries[number].origin
      guard place.position <= origin.position, place.revision >= first else { continue }
      if place.position == origin.position, origin.path.isEmpty { continue }
      if let known = parts.first, entries[known].origin.position != place.position {
        guard try deliver(parts, before, into: room, goesOn) else { return }
        parts = []
      }
      parts.insert(number, at: parts.startIndex)
    }
    _ = try deliver(parts, before, into: room, goesOn)
  }

  /// Delivers the parts of one entry.
  ///
  /// - Returns: Whether to continue.
  private func deliver(
    _ parts: ArraySlice<Int>, _ before: CompiledPlan, into room: GroupBuffer, _ goesOn: () -> Bool
  ) throws(AnnalsError) -> Bool {
    room.past = self
    let steps = before.sources(ofAny: room.cases.indices)
    for number in parts {
      let (form, origin) = entries[number]
      if let version = form.version ?? before.adopted, version > before.current.version { continue }
      guard before.wants(form, steps) else { continue }
      do throws(UpcastRefusal) { try before.upcast(form, origin, into: room) } catch { throw error.error }
    }
    return goesOn()
  }
}
