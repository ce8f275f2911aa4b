internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsStore
import Synchronization

/// The groups of a generation that cannot be folded, found when they are first asked for.
///
/// A pass that sets entries aside must know of them before it comes to their last entries: what a group is
/// folded from would be gone by then.
final class FailingGroups: Sendable {
  /// The places that the records of a group may have in its stream.
  private struct Group {
    var first: UInt64
    let last: UInt64
    let end: Position

    func contains(_ revision: UInt64) -> Bool { first <= revision && revision <= last }
  }

  private let source: RewriteSource
  private let reach: PlanResolver
  /// By stream, its groups; `nil` before anybody asked.
  private let known = Mutex<[Position: [Group]]?>(nil)

  init(_ source: RewriteSource, _ reach: PlanResolver) {
    self.source = source
    self.reach = reach
  }

  /// Where the last record of a failing group is that `entry` may belong to; `nil` if there is none.
  ///
  /// An entry with parts may belong to one group and end another. As it is quarantined as a whole, so is what
  /// the other one is made of.
  ///
  /// - Complexity: The first call upcasts every entry; others wait for it.
  func end(of entry: borrowing LentEntry) throws(AnnalsError) -> Position? {
    let (stream, revision) = (entry.stream, entry.revision.rawValue)
    return try known.withLock { (known) throws(AnnalsError) -> Position? in
      let groups = if let known { known } else { try find() }
      known = groups
      return groups[stream]?.first { $0.contains(revision) }?.end
    }
  }

  private func find() throws(AnnalsError) -> [Position: [Group]] {
    var groups: [Position: [Group]] = [:]
    let last = try source.last()
    guard last > 0 else { return groups }
    let upcaster = PayloadUpcaster(reach.plan)
    var origins = EntryOrigin(log: source.log)
    var fates = FateTable([], written: [])
    var next: UInt64? = 1
    while let start = next {
      // A snapshot for some hundred entries, as everywhere in a pass.
      let end = min(last, start + Digesting.runEntries - 1)
      try source.read(
        start...end,
        { (kinds) in
          fates = FateTable(reading: kinds, reach)
          upcaster.delivery.past = source.past(kinds, reach)
        },
        { (entry, reader) throws(AnnalsError) in
          if entry.header.flags.contains(.stub) { return true }
          let origin = try origins.origin(of: entry, reader)
          do throws(RewriteFailure) { try upcaster.upcast(entry, fates, origin) {} } catch {
            guard error.mark != nil else { throw error.error }
            // One at which no group ends fails alone, or fails the group that it belongs to.
            guard let first = try firstOfGroups(endingAt: entry.position) else { return true }
            groups[entry.stream, default: []].append(
              Group(first: first, last: entry.revision.rawValue, end: entry.position))
          }
          return true
        })
      next = end < last ? end + 1 : nil
    }
    while !groups.isEmpty, try extend(&groups, last) {}
    return groups
  }

  /// Adds to each group what other groups are made of that end at entries of it.
  ///
  /// - Returns: Whether anything was added.
  private func extend(_ groups: inout [Position: [Group]], _ last: UInt64) throws(AnnalsError) -> Bool {
    var isExtended = false
    var next: UInt64? = 1
    while let start = next {
      let end = min(last, start + Digesting.runEntries - 1)
      try source.read(start...end, { _ in }) { (entry, _) throws(AnnalsError) in
        let revision = entry.revision.rawValue
        guard let index = groups[entry.stream]?.firstIndex(where: { $0.contains(revision) }),
          let first = try firstOfGroups(endingAt: entry.position),
          let known = groups[entry.stream]?[index].first, first < known
        else { return true }
        groups[entry.stream]?[index].first = first
        isExtended = true
        return true
      }
      next = end < last ? end + 1 : nil
    }
    return isExtended
  }

  /// The lowest revision of the groups that end at an entry; `nil` if none does.
  private func firstOfGroups(endingAt position: Position) throws(AnnalsError) -> UInt64? {
    var first: UInt64?
    for table in reach.plan.groupEnds {
      for value in try table.values(beginningWith: position.rawValue) {
        do throws(FormatFailure) {
          first = min(first ?? .max, try GroupEnd(value.span).first.rawValue)
        } catch {
          throw AnnalsError(error, place: "a row of a stage's group ends", table: "meta")
        }
      }
    }
    // With folds after folds it may have failed before it had looked at all that the group is made of.
    return first != nil && reach.plan.groupEnds.count > 1 ? 0 : first
  }
}
