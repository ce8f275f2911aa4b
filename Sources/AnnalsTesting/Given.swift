public import Annals

/// Stored events of one version: the first line of a test of rules.
///
/// ```swift
/// try Given(WorkoutsV1.Event.setsLogged(.init(exercise: "Squat", weight: 80, reps: 5, sets: 2)))
///   .when(WorkoutPlan.self)
///   .then([
///     .setLogged(.init(exercise: "Squat", kilograms: 80, reps: 5)),
///     .setLogged(.init(exercise: "Squat", kilograms: 80, reps: 5)),
///   ])
/// ```
///
/// It needs no store. Several events form a whole log, from which a stage's `prepare` computes its context.
public struct Given<Event: SchemaEvent>: Sendable {
  let events: [(event: Event, origin: Origin)]

  /// Creates a log of one event.
  ///
  /// - Parameters:
  ///   - event: The event, of any version of the plan.
  ///   - origin: The facts about the entry that its rule may use.
  public init(_ event: Event, at origin: Origin = .sample()) {
    events = [(event, origin)]
  }

  /// Creates a log from the events of one stream, oldest first, starting at position 1 and revision 0.
  ///
  /// - Parameters:
  ///   - events: The events, of one version of the plan.
  ///   - stream: The stream of the events.
  public init(_ events: [Event], in stream: StreamName = "sample") {
    self.events = events.enumerated().map { number, event in
      (
        event,
        .sample(
          position: Position(UInt64(number) + 1), stream: stream, revision: Revision(UInt64(number)))
      )
    }
  }

  /// Creates a log from events with the facts about each entry, in the order of their positions.
  public init(_ events: [(event: Event, origin: Origin)]) {
    self.events = events
  }

  /// Reads the events with `plan`.
  public func when<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) -> When<Plan> {
    When { () throws -> Reading in
      for chain in try Plan.chains() {
        if let forms = try Self.forms(events, chain) { return try Self.read(forms, with: plan) }
      }
      throw RuleMismatch(
        "\(plan) has no schema with the event \(Event.self): its versions are \(try Plan.chains().map { type(of: $0).version })"
      )
    }
  }

  /// Returns the events as the schema at the end of `chain` stores them; `nil` if they belong to another one.
  private static func forms<Chain: PlanChain>(
    _ events: [(event: Event, origin: Origin)], _ chain: Chain
  ) throws -> [(form: StoredForm, origin: Origin)]? {
    // Only the stored form of the events matters, and contexts do not change it.
    guard let pipeline = try chain.pipeline(FrozenContexts()) as? PlanPipeline<Event> else { return nil }
    return try events.map { (form: try pipeline.form(of: $0.event), origin: $0.origin) }
  }

  /// Reads the events. Returns all results, or the first error if one is refused.
  private static func read<Plan: SchemaMigrationPlan>(
    _ log: [(form: StoredForm, origin: Origin)], with plan: Plan.Type
  ) throws -> Reading {
    let contexts: FrozenContexts
    do { contexts = try Plan.contexts(of: log) } catch let error as AnnalsError {
      guard error.refusedPosition != nil else { throw error }
      let refusal = Outcome.refused(error.code, message: error.message, place: nil)
      return Reading(outcome: refusal, given: log.count, retained: 0)
    }
    let pipeline = try Plan.stages.pipeline(contexts)
    let retained = log.count { pipeline.retains($0.form) }
    return Reading(outcome: outcome(of: log, through: pipeline), given: log.count, retained: retained)
  }

  /// Reads the payloads of a log. Returns the outcome, or the first error if one is refused.
  private static func outcome<Current: SchemaEvent>(
    of log: [(form: StoredForm, origin: Origin)], through pipeline: PlanPipeline<Current>
  ) -> Outcome {
    let past = pipeline.past(of: log)
    var all: [Outcome.Part] = []
    for (form, origin) in log {
      let outcome = pipeline.outcome(of: form, at: origin, past: past)
      guard case .events(let parts) = outcome else { return outcome }
      all += parts
    }
    return .events(all)
  }
}
