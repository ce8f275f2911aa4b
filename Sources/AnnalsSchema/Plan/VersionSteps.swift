internal import AnnalsCoding

/// The steps for events of one version.
struct VersionSteps<Event: SchemaEvent> {
  /// A step for each case, by its property.
  let typed: Event.Steps
  /// The same steps by the number of the case; each is a `RecordStep` of the case's record.
  let numbered: [any Sendable]
  /// The steps from stored bytes by the number of the case.
  let payloads: [PayloadStep]
}

extension VersionSteps {
  /// Creates the steps of the newest version: every record is delivered as its event.
  init() throws(AnnalsError) {
    var arrival = Arrival<Event>()
    typed = try Event.steps(from: &arrival)
    numbered = arrival.made.numbered
    payloads = arrival.made.payloads
    try arrival.made.expectAll()
  }
}

/// The step of the records that a rule takes.
struct RuleStep: Sendable {
  /// The number of their case.
  let caseIndex: Int
  /// A `RecordStep` or a `FoldStep` of their type.
  let step: any Sendable
  /// The same step without the stage's context, which fails where the rule needs that; `nil` if nobody asks.
  let withoutContext: (any Sendable)?

  /// Returns the step; `nil` if it is of another type.
  func recordStep<R: Record>(of type: R.Type) -> RecordStep<R>? {
    guard let step = step as? RecordStep<R> else { return nil }
    guard let withoutContext = withoutContext as? RecordStep<R> else { return step }
    return RecordStep { (record: consuming R, origin, buffer) throws(StepFailure) in
      if buffer.withholds { return try withoutContext.run(record, origin, buffer) }
      try step.run(record, origin, buffer)
    }
  }
}

extension MigrationStage {
  /// Makes the steps of the older version from those of the newer one, and adds its steps from bytes to
  /// `table`.
  ///
  /// - Parameters:
  ///   - newer: The steps of the newer version.
  ///   - steps: The steps of the cases that rules take.
  ///   - crossings: The conversion of each case.
  static func extend(
    _ newer: VersionSteps<To.Event>, steps: [RuleStep],
    crossings: [RecordCrossing],
    _ table: inout [[PayloadStep]]
  ) throws(AnnalsError) -> VersionSteps<From.Event> {
    var crossing = Crossing<From.Event, To.Event>(
      rules: steps, crossings: crossings, newer: newer, from: From.version, to: To.version)
    let typed = try From.Event.steps(from: &crossing)
    try crossing.made.expectAll()
    table.append(crossing.made.payloads)
    return VersionSteps(typed: typed, numbered: crossing.made.numbered, payloads: crossing.made.payloads)
  }
}

/// The steps made so far for the cases of an event, which are requested in order.
private struct MadeSteps<Event: SchemaEvent> {
  let records = Event.records
  var numbered: [any Sendable] = []
  var payloads: [PayloadStep] = []

  /// Adds the step of the next case, and the step from bytes if that does more than decode and continue.
  mutating func add<R: Record>(
    _ step: RecordStep<R>, _ payload: PayloadStep? = nil, for recordCase: RecordCase<Event, R>
  ) throws(AnnalsError) {
    guard recordCase.index == numbered.count, records.indices.contains(recordCase.index),
      records[recordCase.index].type == R.self
    else { throw Self.disorder }
    numbered.append(step)
    payloads.append((payload ?? recordCase.decoding(step)).taking(R.self))
  }

  /// Throws unless every case of the event was requested.
  func expectAll() throws(AnnalsError) {
    guard numbered.count == records.count else { throw Self.disorder }
  }

  /// The error for a manually written event whose parts disagree.
  static var disorder: AnnalsError {
    AnnalsError(
      .invalidPlan,
      "'records', 'Cases' and 'steps(from:)' of \(Event.self) do not name the same records in the same order: let @Schema write them, or number the cases as 'records' does"
    )
  }
}

/// Makes the steps of the newest version.
private struct Arrival<Event: SchemaEvent>: StepSource {
  var made = MadeSteps<Event>()

  mutating func step<R: Record>(for recordCase: RecordCase<Event, R>) throws(AnnalsError) -> RecordStep<R> {
    try made.add(recordCase.delivery, recordCase.arrival(), for: recordCase)
    return recordCase.delivery
  }
}

/// Makes the steps of one version from its stage's rules and the steps of the next version.
private struct Crossing<Event: SchemaEvent, Next: SchemaEvent>: StepSource {
  let rules: [RuleStep]
  let crossings: [RecordCrossing]
  let newer: VersionSteps<Next>
  let from: SchemaVersion
  let to: SchemaVersion
  var made = MadeSteps<Event>()

  init(
    rules: [RuleStep], crossings: [RecordCrossing], newer: VersionSteps<Next>,
    from: SchemaVersion, to: SchemaVersion
  ) {
    self.from = from
    self.to = to
    self.rules = rules
    self.crossings = crossings
    self.newer = newer
  }

  mutating func step<R: Record>(for recordCase: RecordCase<Event, R>) throws(AnnalsError) -> RecordStep<R> {
    let index = recordCase.index
    if let rule = rules.first(where: { $0.caseIndex == index }) {
      if let fold = rule.step as? FoldStep<R> {
        try made.add(fold.step, recordCase.decoding(fold.step).taken(by: fold.site), for: recordCase)
        return fold.step
      }
      guard let step = rule.recordStep(of: R.self) else { throw MadeSteps<Event>.disorder }
      if crossings.indices.contains(index), case .rule(.retained) = crossings[index] {
        let site = RuleSite(from: from, to: to, type: R.recordName)
        try made.add(step, recordCase.decoding(step).retained(at: site), for: recordCase)
        return step
      }
      try made.add(step, for: recordCase)
      return step
    }
    guard crossings.indices.contains(index), let (next, conversion) = crossings[index].conversion,
      newer.numbered.indices.contains(next)
    else { throw MadeSteps<Event>.disorder }
    if case .carried = crossings[index] {
      // The same step object as in the newer version, so that an unchanged type costs nothing in a chain of
      // any length.
      guard let step = newer.numbered[next] as? RecordStep<R> else { throw MadeSteps<Event>.disorder }
      try made.add(step, newer.payloads[next], for: recordCase)
      return step
    }
    // Conversions are joined from stage to stage, so that many cost as much as one.
    let payload = newer.payloads[next].preceded(by: conversion)
    let step = RecordStep<R> { (record: consuming R, origin, buffer) throws(StepFailure) in
      if let site = payload.retention { throw .retainedEvent(site) }
      var bytes: [UInt8] = []
      do throws(CodingFailure) { try record.encode(into: &bytes) } catch { throw .undecodable(error) }
      try payload.run(bytes.span, origin, buffer)
    }
    try made.add(step, payload, for: recordCase)
    return step
  }
}
