package import AnnalsCoding
package import AnnalsFormat
package import AnnalsLog
package import AnnalsSchema
package import AnnalsShapes

/// Reads a log for fields that a plan does not declare.
package struct UndeclaredScan {
  /// The number of entries read in one snapshot, which keeps disk space from being reused.
  private static let length: UInt64 = 16_384

  package let log: EventLog
  package let plan: CompiledPlan
  /// The fields that may be lost.
  package var drops = FieldDrops.none
  /// Whether only entries without a version are looked at.
  var isAdopting = false

  package init(log: EventLog, plan: CompiledPlan, drops: FieldDrops = .none, isAdopting: Bool = false) {
    self.log = log
    self.plan = plan
    self.drops = drops
    self.isAdopting = isAdopting
  }

  /// Returns the undeclared fields of the entries up to position `last`.
  ///
  /// - Parameter check: Is called between snapshots, and throws to end the scan.
  /// - Complexity: O(log) if the store has payloads by name that a pass would rewrite; otherwise O(kinds).
  package func run(
    last: UInt64 = .max, _ check: () throws(AnnalsError) -> Void = {}
  ) throws(AnnalsError) -> FieldTally {
    var tally = FieldTally()
    var next: UInt64? = 1
    while let start = next {
      try check()
      next = try log.read { (snapshot) throws(AnnalsError) in
        try add(snapshot, from: start, last: last, to: &tally)
      }
    }
    return tally
  }

  /// Adds the fields of some entries.
  ///
  /// - Returns: The position to continue at; `nil` at the end.
  private func add(
    _ snapshot: borrowing LogSnapshot, from start: UInt64, last: UInt64, to tally: inout FieldTally
  ) throws(AnnalsError) -> UInt64? {
    let watch = try UndeclaredWatch(
      plan, snapshot.reader.census(), snapshot.kinds, isAdopting ? .adoption : .pass)
    let end = min(try snapshot.reader.last(), last)
    guard !watch.isEmpty, start <= end else { return nil }
    var scan = try snapshot.scan(from: Position(start), limit: Int(Self.length))
    while let entry = try scan.next(), entry.position.rawValue <= end {
      try watch.add(entry, drops, to: &tally)
    }
    return end - start >= Self.length ? start + Self.length : nil
  }
}

/// The kinds of a log of which there are entries that can have undeclared fields.
package struct UndeclaredWatch {
  /// The operation that would lose the fields.
  package enum Loss {
    /// A migration pass.
    case pass
    /// An adoption of entries without a version.
    case adoption
    /// A dump of the events that the plan reads.
    case dump
  }

  /// A kind whose entries can have such fields.
  private struct Watched {
    let kind: KindRegistry.Kind
    let entrance: CompiledPlan.Entrance
  }

  private var watched: [UInt32: Watched] = [:]

  /// - Complexity: O(kinds).
  package init(_ plan: CompiledPlan, _ census: [UInt32: CensusRow], _ kinds: KindRegistry, _ loss: Loss) {
    // Whether a pass has to run first does not matter here.
    var whole = plan
    whole.passesStreams = true
    let reach = PlanResolver(whole, isAdopting: true)
    for (number, row) in census where row.parts > 0 || row.quarantined > 0 {
      guard let kind = kinds.kinds[number], loss != .adoption || kind.version == nil,
        let entrance = try? reach.entrance(of: kind, in: kinds)
      else { continue }
      let mayLose =
        loss == .dump
        ? entrance.payload.mayPassOverFields
        : plan.mayLoseFields(kinds.recordKind(kind), from: entrance)
      if mayLose { watched[number] = Watched(kind: kind, entrance: entrance) }
    }
  }

  /// Whether no entry can have such fields.
  package var isEmpty: Bool { watched.isEmpty }

  /// The numbers of the kinds.
  package var kinds: Set<UInt32> { Set(watched.keys) }

  /// Counts the fields of an entry.
  ///
  /// - Parameter drops: The fields that may be lost.
  package func add(
    _ entry: borrowing LentEntry, _ drops: FieldDrops = .none, to tally: inout FieldTally
  ) throws(AnnalsError) {
    if entry.header.flags.contains(.stub) { return }
    let position = entry.position
    if let payload = entry.payload {
      add(payload, entry.kind, drops, at: position, to: &tally)
    } else {
      try entry.eachPart { (kind, _, payload) in add(payload, kind, drops, at: position, to: &tally) }
    }
  }

  private func add(
    _ payload: Span<UInt8>, _ number: UInt32, _ drops: FieldDrops, at position: Position,
    to tally: inout FieldTally
  ) {
    guard let watched = watched[number] else { return }
    let found: [[ExactText]]
    do throws(CodingFailure) {
      // An unreadable payload is not rewritten, so nothing of it is lost.
      try watched.entrance.payload.check(payload)
      found = try watched.entrance.payload.undeclared(in: payload)
    } catch {
      return
    }
    for path in found {
      tally.add(watched.kind, path, at: position, isGivenUp: drops.contains(watched.kind, path))
    }
  }
}

extension CompiledPlan {
  /// Whether a pass can lose fields of payloads that enter as `kind` at `entrance`: they are read by name
  /// there, and do not stay unchanged.
  ///
  /// A record that the plan drops as a whole loses all of its fields.
  package func mayLoseFields(_ kind: RecordKind, from entrance: Entrance) -> Bool {
    entrance.payload.mayPassOverFields && carried(kind, from: entrance) == nil && !isDropped(from: entrance)
  }
}
