/// All that can follow once an event has reached one version.
struct VersionSteps<Event: SchemaEvent> {
  /// A step for each case, by its property.
  let typed: Event.Steps
  /// The same steps by the number of the case; each is a `RecordStep` of the case's record.
  let numbered: [any Sendable]
  /// The steps from stored bytes by the number of the case.
  let payloads: [PayloadStep]
}

extension VersionSteps {
  /// The steps of the newest version: every record is delivered as the event that it is.
  init() throws(AnnalsError) {
    var arrival = Arrival<Event>()
    typed = try Event.steps(from: &arrival)
    numbered = arrival.made.numbered
    payloads = arrival.made.payloads
    try arrival.made.expectAll()
  }
}

extension MigrationStage {
  /// The steps of the older version, given those of the newer one; its steps from bytes are added to `table`.
  func extend(
    _ newer: VersionSteps<To.Event>, _ table: inout [[PayloadStep]]
  ) throws(AnnalsError) -> VersionSteps<From.Event> {
    var crossing = Crossing(rules: rules, newer: newer)
    let typed = try From.Event.steps(from: &crossing)
    try crossing.made.expectAll()
    table.append(crossing.made.payloads)
    return VersionSteps(typed: typed, numbered: crossing.made.numbered, payloads: crossing.made.payloads)
  }
}

/// The steps made so far for the cases of an event, which are asked for in order.
private struct MadeSteps<Event: SchemaEvent> {
  let records = Event.records
  var numbered: [any Sendable] = []
  var payloads: [PayloadStep] = []

  mutating func add<R: Record>(_ step: RecordStep<R>, for recordCase: RecordCase<Event, R>)
    throws(AnnalsError)
  {
    guard recordCase.index == numbered.count, records.indices.contains(recordCase.index),
      records[recordCase.index].type == R.self
    else { throw Self.disorder }
    numbered.append(step)
    payloads.append(recordCase.decoding(step))
  }

  /// Every case of the event must have been asked for.
  func expectAll() throws(AnnalsError) {
    guard numbered.count == records.count else { throw Self.disorder }
  }

  /// What is wrong with an event written by hand whose parts disagree.
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
    try made.add(recordCase.delivery, for: recordCase)
    return recordCase.delivery
  }
}

/// Makes the steps of one version from its stage's rules and the steps of the next version.
private struct Crossing<From: VersionedSchema, To: VersionedSchema>: StepSource {
  typealias Event = From.Event
  let rules: [Rule<From, To>]
  let newer: VersionSteps<To.Event>
  let names = To.Event.records.map { ExactText($0.type.recordName) }
  var made = MadeSteps<From.Event>()

  init(rules: [Rule<From, To>], newer: VersionSteps<To.Event>) {
    self.rules = rules
    self.newer = newer
  }

  mutating func step<R: Record>(for recordCase: RecordCase<Event, R>) throws(AnnalsError) -> RecordStep<R> {
    let step: any Sendable
    if let rule = rules.first(where: { $0.caseIndex == recordCase.index }) {
      step = rule.step(newer.typed)
    } else if let index = names.firstIndex(of: ExactText(R.recordName)) {
      // Carried: the very step of the newer version, so that an unchanged type costs nothing at any length of the chain.
      step = newer.numbered[index]
    } else {
      throw MadeSteps<Event>.disorder
    }
    guard let step = step as? RecordStep<R> else { throw MadeSteps<Event>.disorder }
    try made.add(step, for: recordCase)
    return step
  }
}
