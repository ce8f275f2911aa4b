package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema

#if canImport(FoundationEssentials)
  package import FoundationEssentials
#else
  package import Foundation
#endif

/// Upcasts stored entries with a plan. All events are delivered through it.
package struct Upcaster: Sendable {
  let reach: PlanResolver
  let table: [CompiledPlan.Entrance?]
  /// The kinds whose entries are upcast.
  package var wanted = WantedKinds()
  let reading: EntryReading
  private let log: UUID
  private let past: StoredPast?

  /// Creates an upcaster for a snapshot of `generation` with these kinds, of the log with this id.
  package init(reach: PlanResolver, kinds: KindRegistry, log: UUID, generation: Generation) {
    self.init(
      reach: reach, kinds: kinds, log: log,
      past: StoredPast(generation.environment, generation.tables, kinds, log: log, reach))
  }

  /// Creates an upcaster for a snapshot with these kinds, of a generation as the threads of a pass read it.
  package init(reach: PlanResolver, kinds: KindRegistry, of source: RewriteSource) {
    self.init(reach: reach, kinds: kinds, log: source.log, past: source.past(kinds, reach))
  }

  /// Creates an upcaster that finds earlier entries through `past`; `nil` for a plan without folds.
  package init(reach: PlanResolver, kinds: KindRegistry, log: UUID, past: StoredPast?) {
    self.past = past
    self.reach = reach
    table = reach.table(for: kinds)
    reading = EntryReading(kinds: kinds)
    self.log = log
  }

  /// Adds to `buffer` the current events of `entry`, of the stream called `stream`. A stub has none, nor does
  /// an entry in quarantine.
  package func upcast(_ entry: borrowing LentEntry, of stream: StreamName, into buffer: EventBuffer)
    throws(AnnalsError)
  {
    if let past { buffer.past = past }
    // An entry whose rules refuse replacements is not one that cannot be read.
    guard let quarantine = reach.quarantine, !buffer.withholds else {
      return try upcastWhole(entry, of: stream, into: buffer)
    }
    let before = buffer.count
    do throws(AnnalsError) {
      try upcastWhole(entry, of: stream, into: buffer)
    } catch {
      guard quarantine.takes(entry, of: stream, because: error) else { throw error }
      buffer.keep(first: before)
    }
  }

  private func upcastWhole(
    _ entry: borrowing LentEntry, of stream: StreamName, into buffer: EventBuffer
  ) throws(AnnalsError) {
    // Most entries have neither metadata nor tags. An origin that is made without a choice is not copied.
    guard entry.header.flags.isDisjoint(with: .rich), let payload = entry.payload else {
      return try upcastRich(entry, of: stream, into: buffer)
    }
    let origin = Origin(
      position: entry.position, stream: stream, revision: entry.revision, timestamp: entry.time,
      id: entry.id, log: log)
    try upcast(entry.kind, payload, origin, into: buffer)
  }

  /// Upcasts an entry with metadata, extensions or another body than one payload.
  @inline(never)
  private func upcastRich(
    _ entry: borrowing LentEntry, of stream: StreamName, into buffer: EventBuffer
  ) throws(AnnalsError) {
    if entry.header.flags.contains(.stub) { return }
    let origin = Origin(
      position: entry.position, stream: stream, revision: entry.revision, timestamp: entry.time,
      id: entry.id,
      metadata: entry.header.flags.contains(.metadata) ? try EntryReading.metadata(of: entry) : Metadata(),
      tags: entry.header.flags.contains(.extensions) ? try entry.tags : [], log: log)
    if let payload = entry.payload {
      return try upcast(entry.kind, payload, origin, into: buffer)
    }
    let body: EntryBody
    do { body = try EntryBody(entry.bytes, header: entry.header) } catch {
      throw AnnalsError(error, place: "position \(entry.position)", position: entry.position)
    }
    // An entry is upcast whole, as it was before a pass gave it parts: whether it fails must not depend on
    // the events that a reader wants.
    guard case .parts(let parts) = body, parts.contains(where: { wanted.include($0.kind) }) else { return }
    let before = buffer.count
    do throws(AnnalsError) {
      for part in parts {
        var origin = origin
        origin.path = part.path
        try upcast(part.kind, part.payload.span, origin, into: buffer)
      }
    } catch {
      buffer.keep(first: before)
      throw error
    }
  }

  @inline(__always)
  private func upcast(
    _ kind: UInt32, _ payload: Span<UInt8>, _ origin: Origin, into buffer: EventBuffer
  ) throws(AnnalsError) {
    if let newest = reach.plan.newestStored,
      let version = reading.kinds[kind].flatMap({ $0.version ?? reach.plan.adopted }), version > newest
    {
      return
    }
    guard Int(kind) < table.count, let entrance = table[Int(kind)] else {
      if let skipping = reach.skipping, let known = reading.kinds[kind], reach.passesOver(known) {
        return skipping.add()
      }
      throw try unreadable(kind, at: origin.position)
    }
    let before = buffer.count
    do throws(StepFailure) { try entrance.payload.run(payload, origin, buffer) } catch {
      buffer.keep(first: before)
      throw AnnalsError(reach.plan.failure(at: entrance, error), origin)
    }
  }

  /// Returns why entries of `kind` cannot be read: another program has stored them since this one opened the
  /// store.
  private func unreadable(_ kind: UInt32, at position: Position) throws(AnnalsError) -> AnnalsError {
    let kind = try reading.kind(kind, at: position)
    let step: MissingStep
    do throws(MissingStep) {
      _ = try reach.entrance(of: kind, in: reading.kinds)
      return AnnalsError(
        .damaged, "position \(position): the store knows no kind \(kind.number); run 'annals verify'")
    } catch {
      step = error
    }
    return AnnalsError(step, kind, at: position)
  }
}

extension AnnalsError {
  /// Creates the error of `code` for stored events that `reader`, named in words, cannot read.
  package init(_ code: Code, _ reader: String, cannotRead unreadable: [UnreadableKind]) {
    let list = unreadable.map { kind in
      "\n- '\(kind.type)' of \(kind.version.map { "version \($0)" } ?? "no version"), \(kind.count) events, the first at position \(kind.firstPosition): \(kind.missing)"
    }
    self.init(
      code, "\(reader) cannot read all stored events:\(list.joined())",
      details: Details {
        $0.kinds = unreadable
        $0.type = unreadable.first?.type
        $0.version = unreadable.first?.version
        $0.position = unreadable.first?.firstPosition
      })
  }

  /// The error for an entry whose kind has no path through the plan.
  package init(_ step: MissingStep, _ kind: KindRegistry.Kind, at position: Position) {
    self.init(
      step.code,
      "position \(position): a '\(kind.row.name)' of \(kind.version.map { "version \($0)" } ?? "no version") cannot be read: \(step)",
      details: AnnalsError.Details {
        $0.position = position
        $0.type = kind.row.name
        $0.version = kind.version
      })
  }
}
