internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  package import Foundation
#endif

/// Takes entries through a plan: what a migration pass does with each.
final class PlanRewriter: EntryRewriter {
  private let kinds: GenerationKinds
  let source: RewriteSource
  private let reach: PlanResolver
  /// The groups that cannot be folded; shared by all threads.
  private let failing: FailingGroups
  let upcaster: PayloadUpcaster
  /// Whether entries that cannot be upcast are quarantined.
  private let isQuarantining: Bool
  /// Whether entries get other places: then a broken group ends the pass, and no digest is computed.
  private let isMoving: Bool
  /// Whether records of the current version have personal fields.
  private let isSealing: Bool
  private let digester: EntryDigester
  /// Computes tags again; `nil` where no rule does.
  let retagger: EntryRetagger?
  /// Whether the entry at hand gets other tags, unless it becomes a stub.
  var hasNewTags = false
  /// The undeclared fields that may be lost.
  let drops: FieldDrops
  /// Encrypts values of personal fields that have older keys again; `nil` if they stay.
  let renewing: (any PersonalDataCipher)?
  /// Whether lines for an archive are written.
  let isArchiving: Bool
  /// Whether entries may refer to attachments.
  private(set) var hasAttachments = false
  /// The attachments to which the new events of the entry at hand refer; `nil` if nobody asks.
  var notes: AttachmentNotes?
  /// What is lost of the entry at hand, by event.
  var losses: [ArchivedEvent] = []
  // One thread uses it, and what computes an origin does not know the rewriter.
  let origins: SerialValue<EntryOrigin>
  private(set) var table = FateTable([], written: [])
  /// Room for parts, used again for each entry.
  var parts = PartsBuffer()

  /// A rewriter for one thread.
  ///
  /// - Parameters:
  ///   - kinds: The kinds of the new generation.
  ///   - source: The older generation.
  ///   - reach: The plan that they were made for.
  ///   - failing: The groups that cannot be folded.
  ///   - isQuarantining: Whether entries that cannot be upcast are quarantined.
  ///   - isMoving: Whether entries get other places: then a broken group ends the pass, and no digest is
  ///     computed.
  ///   - losing: What may be lost, and whether it is archived.
  ///   - renewing: Encrypts values of personal fields that have older keys again; `nil` if they stay.
  ///   - retagging: The rules that compute tags again; `nil` for none.
  init(
    _ kinds: GenerationKinds, _ source: RewriteSource, _ reach: PlanResolver, _ failing: FailingGroups,
    isQuarantining: Bool, isMoving: Bool = false, losing: LossRules,
    renewing: (any PersonalDataCipher)? = nil, retagging: PassRetagging?
  ) {
    retagger = retagging.map { EntryRetagger($0, source) }
    self.renewing = renewing
    drops = losing.drops
    isArchiving = losing.isArchiving
    self.failing = failing
    self.isMoving = isMoving
    digester = EntryDigester(reach, source, isQuarantining: isQuarantining, nil, retagger)
    self.kinds = kinds
    self.source = source
    self.reach = reach
    upcaster = PayloadUpcaster(reach.plan)
    self.isQuarantining = isQuarantining
    isSealing = reach.plan.written.contains { $0.shape?.personal != nil }
    upcaster.delivery.notesSubjects = isSealing
    origins = SerialValue(EntryOrigin(log: source.log))
  }

  func enter(_ known: KindRegistry) throws(AnnalsError) {
    table = try kinds.table(for: known)
    digester.enter(known)
    hasAttachments = known.hasAttachments
    upcaster.delivery.past = source.past(known, reach)
  }

  func expect(_ stream: Position) { origins.value.prefetch(stream) }

  func rewrite(
    _ entry: borrowing LentEntry, _ reader: StoreReader, into run: inout RewrittenRun
  ) throws(AnnalsError) {
    let header = entry.header
    let isPlain = try entry.isPlain
    let unchanged = isPlain ? table.carried(header.kind) : nil
    let isRetagged = try retagger?.concerns(entry) ?? false
    run.delivered.enter(entry.position)
    // Parts and marked entries are upcast twice, since their events can differ from the new entry. They are
    // rare.
    if !isMoving, !isPlain || unchanged != nil || source.hidden.contains(header) {
      try digester.add(entry, reader, to: &run.delivered.sum)
    }
    if source.hidden.contains(header) { return try drop(entry, .truncated, reader, into: &run) }
    if let kind = unchanged, !isRetagged {
      if let body = try renewed(entry.body, header.kind, at: entry.position) {
        run.tally.add(kind, bytes: body.count, at: run.count)
        run.changes.add(isSplit: false)
        return run.add(EntryCopy(entry.bytes, header, kind: kind, form: .payload, body: body.span))
      }
      run.tally.add(kind, bytes: header.body.count, at: run.count)
      if kind == header.kind, !header.flags.contains(.rows) { return run.add(unchanged: entry.bytes) }
      return run.add(EntryCopy(entry.bytes, header, kind: kind, form: .payload, body: entry.body))
    }
    if header.isSystem { return run.add(system: entry.bytes) }
    if header.flags.contains(.stub) { return try keepStub(entry, into: &run) }
    if !losses.isEmpty { losses.removeAll(keepingCapacity: true) }
    hasNewTags = false
    let digested = run.delivered.sum.entries
    do throws(RewriteFailure) {
      try noting { () throws(RewriteFailure) in
        try upcast(entry, reader, isRetagged: isRetagged, into: &run)
      }
      if !losses.isEmpty { try settleLosses(of: entry, reader, in: &run) }
    } catch {
      hasNewTags = false
      guard isQuarantining, let mark = error.mark, try setAside(entry, mark, into: &run) else {
        throw error.error
      }
      if isPlain, unchanged == nil, run.delivered.sum.entries == digested {
        digester.add(unreadable: entry, to: &run.delivered.sum)
      }
    }
  }
}

extension PlanRewriter {
  /// Adds the result of an entry whose payloads or tags change.
  private func upcast(
    _ entry: borrowing LentEntry, _ reader: StoreReader, isRetagged: Bool, into run: inout RewrittenRun
  ) throws(RewriteFailure) {
    let (isPlain, isQuarantined, origin): (Bool, Bool, Origin)
    do throws(AnnalsError) {
      isPlain = try entry.isPlain
      isQuarantined = try entry.isQuarantined
      origin = try origins.value.origin(of: entry, reader)
    } catch {
      throw RewriteFailure(error)
    }
    let header = entry.header
    var extensions: [UInt8]?
    if !header.flags.contains(.parts) {
      let fate = try table.fate(of: header.kind, entry.position)
      // A quarantined payload is upcast even if it is unchanged: only then is it known to be readable.
      try upcaster.upcast(entry.body, fate, origin)
      let tags = isRetagged ? try newTags(of: entry, reader) : nil
      extensions = try newExtensions(of: entry, tags, isQuarantined: isQuarantined)
      noteLosses(of: entry.body, [], fate)
      if isQuarantined || isRetagged, case .carried(let kind) = fate.payload {
        if let body = try renewedPart(entry.body, fate, entry.position) {
          run.tally.add(kind, bytes: body.count, at: run.count)
          run.changes.add(isSplit: false)
          return add(entry, kind: kind, .payload, body.span, extensions, into: &run)
        }
        run.tally.add(kind, bytes: header.body.count, at: run.count)
        return add(entry, kind: kind, .payload, entry.body, extensions, into: &run)
      }
      let isDigested = !isMoving && isPlain
      if let single = upcaster.delivery.single {
        let bytes = upcaster.delivery.content.bytes
        let event = bytes.span.extracting(single.range)
        if isDigested {
          digester.add(event, caseIndex: single.caseIndex, tags: tags, of: entry, to: &run.delivered.sum)
        }
        let kind = table.written[single.caseIndex]
        run.changes.add(isSplit: false)
        if isSealing,
          let sealed = try reach.plan.sealed(
            event, ofCase: single.caseIndex, besides: upcaster.delivery.openedSubjects)
        {
          run.tally.add(kind, bytes: sealed.count, at: run.count)
          return add(entry, kind: kind, .payload, sealed.span, extensions, into: &run)
        }
        run.tally.add(kind, bytes: event.count, at: run.count)
        return add(entry, kind: kind, .payload, event, extensions, into: &run)
      }
      if isDigested { digester.add(upcaster.delivery, tags: tags, of: entry, to: &run.delivered.sum) }
      if isArchiving { noteDrops(of: entry.body, [], fate.kind, upcaster.delivery.drops.map(\.reason)) }
    }
    let isChanged = try gather(entry, origin, isUpcast: isQuarantined || isRetagged)
    if header.flags.contains(.parts) {
      let tags = isRetagged ? try newTags(of: entry, reader) : nil
      extensions = try newExtensions(of: entry, tags, isQuarantined: isQuarantined)
    }
    if isQuarantining, parts.hasFolded { try mustBeFolded(entry, origin) }
    try countDrops(of: entry, into: &run)
    guard parts.count > 0 else { return try addStub(entry, extensions, into: &run) }
    parts.count(in: &run.tally, at: run.count)
    if isChanged { run.changes.add(isSplit: !header.flags.contains(.parts)) }
    let bytes = parts.bytes
    add(entry, kind: 0, .parts, bytes.span, extensions, into: &run)
  }

  /// Gathers the parts that an entry becomes, in order.
  ///
  /// - Parameter isUpcast: Whether unchanged parts are upcast too, to know that they are readable.
  /// - Returns: Whether any of them is not a part of the entry as it is.
  private func gather(
    _ entry: borrowing LentEntry, _ origin: Origin, isUpcast: Bool
  ) throws(RewriteFailure) -> Bool {
    parts.clear()
    guard entry.header.flags.contains(.parts) else {
      try parts.add(upcaster.delivery, from: entry.header.kind, table.written, isSealing ? reach : nil)
      return true
    }
    var isChanged = false
    var setback: RewriteFailure?
    do throws(AnnalsError) {
      try entry.eachPart { (kind, path, payload) throws(AnnalsError) in
        do throws(RewriteFailure) {
          let fate = try table.fate(of: kind, entry.position)
          let unchanged: UInt32? = if case .carried(let kind) = fate.payload { kind } else { nil }
          if isUpcast || unchanged == nil {
            var origin = origin
            origin.path = path
            try upcaster.upcast(payload, fate, origin)
            noteLosses(of: payload, path, fate)
          }
          if let unchanged {
            if let body = try renewedPart(payload, fate, entry.position) {
              isChanged = true
              return parts.add(unchanged, path, body.span)
            }
            return parts.add(unchanged, path, payload)
          }
          isChanged = true
          if isArchiving { noteDrops(of: payload, path, fate.kind, upcaster.delivery.drops.map(\.reason)) }
          try parts.add(upcaster.delivery, from: kind, table.written, isSealing ? reach : nil)
        } catch {
          setback = error
          throw error.error
        }
      }
    } catch {
      throw setback ?? RewriteFailure(error)
    }
    return isChanged
  }

  /// Throws if the group that an entry went into cannot be folded: what it is folded from stays with what it
  /// would have become.
  private func mustBeFolded(_ entry: borrowing LentEntry, _ origin: Origin) throws(RewriteFailure) {
    let end: Position?
    do throws(AnnalsError) { end = try failing.end(of: entry) } catch { throw RewriteFailure(error) }
    guard let end else { return }
    let kind = try table.fate(of: firstKind(of: entry), entry.position).kind
    let setback = RewriteFailure(unfolded: kind, endingAt: end, origin, to: reach.plan.current.version)
    if !isMoving { throw setback }
    // Their revisions would be others, and nobody could find together again what belongs together.
    throw RewriteFailure(
      AnnalsError(
        .ruleFailed,
        "\(setback.error.message); a pass that moves streams does not set aside what a fold is made of: mend the fold first; the store is as it was",
        details: setback.error.details))
  }

  /// Counts what has become no event, also of an entry of which other parts are left.
  private func countDrops(of entry: borrowing LentEntry, into run: inout RewrittenRun) throws(RewriteFailure)
  {
    for (kind, drop) in parts.drops {
      let type = try table.fate(of: kind, entry.position).kind.row.name
      run.changes.add(RunChanges.Drop(type: type, reason: drop.reason), isFolded: drop.cause == .fold)
    }
  }
}
