internal import AnnalsCoding
internal import AnnalsShapes

/// A fold, as seen by one of the record types that it takes.
@usableFromInline final class FoldSite: Sendable {
  /// The place of the rule.
  let site: RuleSite
  /// Why the records of a group other than the last are dropped.
  let reason: String
  /// The table of group ends; `nil` before the stage is activated.
  private let ends: ContextTable?

  @usableFromInline init(_ site: RuleSite, _ reason: String, _ ends: ContextTable?) {
    self.site = site
    self.reason = reason
    self.ends = ends
  }

  /// Returns why records that were combined into events of `effect` are dropped.
  @usableFromInline static func reason(_ effect: RuleEffect, _ records: [SchemaRecord]) -> String {
    var names: [String] = []
    if case .cases(let cases) = effect {
      names = cases.sorted().filter(records.indices.contains).map { "'\(records[$0].type.recordName)'" }
    }
    return "folded into \(names.isEmpty ? "nothing" : names.joined(separator: " or "))"
  }

  /// Returns whether a record is the last one of its group, and if not, records why it is dropped.
  @usableFromInline func endsGroup(_ origin: Origin, _ buffer: EventBuffer) throws(StepFailure) -> Bool {
    if try end(at: origin, buffer) != nil { return true }
    if buffer.notesDrops { buffer.note(self) }
    return false
  }

  /// Returns the group that ends at a record; `nil` if none does. Without a stream, each record is a group.
  private func end(at origin: Origin, _ buffer: EventBuffer) throws(StepFailure) -> GroupEnd? {
    guard buffer.past != nil else { return GroupEnd(count: 1, first: origin.revision) }
    guard let ends else { throw .ruleThrew(site, ContextMissing()) }
    do throws(AnnalsError) {
      let table = buffer.ends(in: ends)
      let found = try table.end(at: origin.position.rawValue, origin.path)
      if found != nil || origin.path.isEmpty { return found }
      // The entry could not be read when the stage was activated, so its parts were unknown.
      return try table.end(at: origin.position.rawValue, [])
    } catch {
      throw .groupUnreadable(site, error)
    }
  }

  /// Gathers the records before the last one of a group, newest first.
  @usableFromInline func gather(
    before origin: Origin, _ buffer: EventBuffer, into group: GroupBuffer
  ) throws(StepFailure) {
    guard let past = buffer.past, let end = try end(at: origin, buffer), end.count > 1 else { return }
    group.withholds = buffer.withholds
    group.notesSubjects = buffer.notesSubjects
    defer { buffer.openedSubjects.add(group.openedSubjects) }
    do throws(AnnalsError) {
      var known = group.count
      try past.walk(back: origin, to: end.first, before: site.to, into: group) {
        group.reverse(from: known)
        known = group.count
        return known < end.count
      }
    } catch {
      throw .groupUnreadable(site, error)
    }
    if group.removed > 0 { return try keepRemaining(group, end, buffer) }
    guard group.count >= end.count else {
      throw .groupIncomplete(site, expected: end.count, found: group.count)
    }
    // The oldest entry may have parts that belong to the previous group.
    group.keep(first: end.count)
  }

  /// Removes the records of previous groups from a group of which entries may be gone.
  ///
  /// An erased or truncated record is missing for good, and the others are still a group. How many records an
  /// entry gave is unknown once it is gone, so that the number of records says nothing here: the previous
  /// group ends where the table has its end.
  private func keepRemaining(
    _ group: GroupBuffer, _ end: GroupEnd, _ buffer: EventBuffer
  ) throws(StepFailure) {
    // A fold before this one may give another number of records, too.
    if let outer = buffer as? GroupBuffer { outer.removed += group.removed }
    let count = try group.count { (origin) throws(StepFailure) in try self.end(at: origin, buffer) != nil }
    guard count <= end.count else { throw .groupIncomplete(site, expected: end.count, found: count) }
    group.keep(first: count)
  }
}
