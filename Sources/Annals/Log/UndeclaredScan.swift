/// Reads a log for fields that a plan does not declare.
struct UndeclaredScan {
  /// How many entries are read in one snapshot, which keeps disk space from being used again.
  private static let length: UInt64 = 16_384

  let log: EventLog
  let plan: CompiledPlan
  /// The fields that may be lost.
  var drops = FieldDrops.none
  /// Whether only entries without a version are looked at.
  var isAdopting = false

  /// A kind whose entries can have such fields.
  private struct Watched {
    let kind: KindRegistry.Kind
    let entrance: CompiledPlan.Entrance
  }

  /// What the entries up to position `last` have.
  ///
  /// - Parameter check: Is called between snapshots, and throws to end the scan.
  /// - Complexity: O(log) where the store has payloads by name that a pass would rewrite; otherwise O(kinds).
  func run(
    last: UInt64 = .max, _ check: () throws(AnnalsError) -> Void = {}
  ) throws(AnnalsError) -> UndeclaredTally {
    var tally = UndeclaredTally()
    var next: UInt64? = 1
    while let start = next {
      try check()
      next = try log.read { (snapshot) throws(AnnalsError) in
        try add(snapshot, from: start, last: last, to: &tally)
      }
    }
    return tally
  }

  /// Adds what some entries have.
  ///
  /// - Returns: Where to go on; `nil` at the end.
  private func add(
    _ snapshot: borrowing LogSnapshot, from start: UInt64, last: UInt64, to tally: inout UndeclaredTally
  ) throws(AnnalsError) -> UInt64? {
    let watched = Self.watched(
      plan, try snapshot.reader.census(), snapshot.kinds, isAdopting: isAdopting)
    let end = min(try snapshot.reader.last(), last)
    guard !watched.isEmpty, start <= end else { return nil }
    var scan = try snapshot.scan(from: Position(start), limit: Int(Self.length))
    while let entry = try scan.next(), entry.position.rawValue <= end {
      if entry.header.flags.contains(.stub) { continue }
      let position = entry.position
      if let payload = entry.payload {
        add(payload, watched[entry.kind], at: position, to: &tally)
      } else {
        try entry.eachPart { (kind, _, payload) in add(payload, watched[kind], at: position, to: &tally) }
      }
    }
    return end - start >= Self.length ? start + Self.length : nil
  }

  private func add(
    _ payload: Span<UInt8>, _ watched: Watched?, at position: Position, to tally: inout UndeclaredTally
  ) {
    guard let watched else { return }
    let found: [[ExactText]]
    do throws(CodingFailure) {
      // What cannot be read is not rewritten, so that nothing of it is lost.
      try watched.entrance.payload.check(payload)
      found = try watched.entrance.payload.undeclared(in: payload)
    } catch {
      return
    }
    for path in found {
      tally.add(watched.kind, path, at: position, isGivenUp: drops.contains(watched.kind, path))
    }
  }

  /// The numbers of the kinds of which there are entries that can have such fields.
  ///
  /// - Complexity: O(kinds).
  static func kinds(
    _ plan: CompiledPlan, _ census: [UInt32: CensusRow], _ kinds: KindRegistry
  ) -> Set<UInt32> {
    Set(watched(plan, census, kinds, isAdopting: false).keys)
  }

  private static func watched(
    _ plan: CompiledPlan, _ census: [UInt32: CensusRow], _ kinds: KindRegistry, isAdopting: Bool
  ) -> [UInt32: Watched] {
    // Whether a pass has to go first does not matter here.
    var whole = plan
    whole.passesStreams = true
    let reach = PlanReach(whole, isAdopting: true)
    var watched: [UInt32: Watched] = [:]
    for (number, row) in census where row.parts > 0 || row.quarantined > 0 {
      guard let kind = kinds.kinds[number], !isAdopting || kind.version == nil,
        let entrance = try? reach.entrance(of: kind, in: kinds),
        plan.mayLoseFields(kinds.recordKind(kind), from: entrance)
      else { continue }
      watched[number] = Watched(kind: kind, entrance: entrance)
    }
    return watched
  }
}

extension CompiledPlan {
  /// Whether a pass can lose fields of payloads that enter as `kind` at `entrance`: they are read by name
  /// there, and do not stay as they are.
  ///
  /// A record that the plan drops as a whole goes with all it has.
  func mayLoseFields(_ kind: RecordKind, from entrance: Entrance) -> Bool {
    entrance.payload.mayPassOverFields && carried(kind, from: entrance) == nil && !isDropped(from: entrance)
  }

  /// Whether the plan drops every record that enters at `entrance`, whatever it holds.
  private func isDropped(from entrance: Entrance) -> Bool {
    let step = steps[entrance.step]
    guard let schema = schemas.firstIndex(where: { $0.version == step.version }),
      var record = schemas[schema].index(of: ExactText(step.type))
    else { return false }
    for crossings in crossings[schema...] {
      switch crossings[record] {
      case .carried(let next), .converted(let next, _): record = next
      case .rule(.nothing), .rule(.retained): return true
      case .rule, .redeclared, .forgotten: return false
      }
    }
    return false
  }
}
