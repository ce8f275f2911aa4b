internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema

/// Reads every event without a version as the version that a plan adopts them as, before the plan adopts
/// them.
struct AdoptionCheck {
  /// The maximum number of different mistakes reported.
  private static let limit = 50

  private let log: EventLog
  private let plan: CompiledPlan
  private let version: SchemaVersion
  private let last: UInt64

  /// Creates a check of the events up to position `last`.
  init(_ log: EventLog, _ plan: CompiledPlan, _ version: SchemaVersion, last: UInt64) {
    self.log = log
    self.plan = plan
    self.version = version
    self.last = last
  }

  /// A mistake in events of one type.
  private struct Mistake: Hashable {
    let type: String
    let text: String
  }

  /// Throws `shapeChanged` with every type and field that does not fit, or `undeclaredFields` with every
  /// undeclared field that may not be lost.
  ///
  /// - Complexity: O(log).
  func run() throws(AnnalsError) {
    try mustFit()
    let drops = FieldDrops(log.options.dropFields)
    let scan = UndeclaredScan(log: log, plan: plan, drops: drops, isAdopting: true)
    let unnamed = try scan.run(
      last: last,
      { () throws(AnnalsError) in
        try log.options.watch?.check()
      }
    ).undeclared.filter { !drops.contains($0) }
    guard unnamed.isEmpty else {
      throw AnnalsError(undeclared: unnamed, "taking over events without a version")
    }
  }

  private func mustFit() throws(AnnalsError) {
    var found: [Mistake: (count: UInt64, first: Position)] = [:]
    try log.read { (snapshot) throws(AnnalsError) in
      var entrances: [UInt32: Result<CompiledPlan.Entrance, MissingStep>] = [:]
      for kind in snapshot.kinds.kinds.values where kind.version == nil {
        do throws(MissingStep) {
          entrances[kind.number] = .success(
            try plan.entrance(of: snapshot.kinds.recordKind(kind), unversioned: version))
        } catch {
          entrances[kind.number] = .failure(error)
        }
      }
      var scan = try snapshot.scan()
      while let entry = try scan.next() {
        if entry.position.rawValue > last { break }
        if entry.position.rawValue.isMultiple(of: 1024) {
          try log.options.watch?.advance(.adopting, entry.position.rawValue, of: last)
        }
        let (kind, position) = (entry.kind, entry.position)
        guard let entrance = entrances[kind], let payload = entry.payload,
          let text = Self.mistake(in: payload, entrance)
        else { continue }
        let mistake = Mistake(type: snapshot.kinds.kinds[kind]?.row.name ?? "", text: text)
        if found[mistake] != nil || found.count < Self.limit {
          found[mistake, default: (0, position)].count += 1
        }
      }
    }
    guard !found.isEmpty else { return }
    let mistakes = found.sorted { $0.value.first < $1.value.first }
    let list = mistakes.map { mistake in
      "\n- '\(mistake.key.type)', \(mistake.value.count) events, the first at position \(mistake.value.first): \(mistake.key.text)"
    }
    throw AnnalsError(
      .shapeChanged,
      "events without a schema version are not all of version \(version), and nothing was changed; put a schema before it that has them as they are, and a stage that repairs them:\(list.joined())",
      details: AnnalsError.Details { details in
        details.kinds = mistakes.map {
          UnreadableKind(
            type: $0.key.type, version: nil, count: $0.value.count, firstPosition: $0.value.first,
            missing: $0.key.text)
        }
        details.type = mistakes.first?.key.type
        details.position = mistakes.first?.value.first
      })
  }

  /// Returns the mistake in a payload; `nil` if there is none.
  private static func mistake(
    in payload: Span<UInt8>, _ entrance: Result<CompiledPlan.Entrance, MissingStep>
  ) -> String? {
    do {
      try entrance.get().payload.check(payload)
      return nil
    } catch let failure as CodingFailure {
      // The byte offset differs from event to event.
      return ([failure.reason.description, failure.path.joined(separator: ".")] + [failure.detail ?? ""])
        .filter { !$0.isEmpty }.joined(separator: ", ")
    } catch {
      return "\(error)"
    }
  }
}
