package import AnnalsCoding
package import AnnalsSchema

/// The pipeline that delivers events, for payloads outside a store.
package struct PlanPipeline<Event: SchemaEvent>: Sendable {
  package var plan: CompiledPlan

  package init(plan: CompiledPlan) {
    self.plan = plan
  }

  /// Returns `form` in the pipeline's current version, as a store delivers it.
  ///
  /// - Parameters:
  ///   - form: The payload as it is stored.
  ///   - origin: The known facts of the entry.
  ///   - past: The earlier entries, for folds; without it each record is a group of its own.
  /// - Throws: ``UpcastRefusal`` with the error that a store throws.
  package func entries(
    of form: StoredForm, at origin: Origin, past: UnstoredPast? = nil
  ) throws(UpcastRefusal) -> [Entry<Event>] {
    let delivery = TypedEventBuffer<Event>()
    delivery.past = past
    try plan.upcast(form, origin, into: delivery)
    return delivery.entries
  }

  /// Returns the earlier entries for each entry of `log`; `nil` for a plan that never needs them.
  package func past(of log: [(form: StoredForm, origin: Origin)]) -> UnstoredPast? {
    UnstoredPast(log, plan)
  }

  /// Returns the stored form of `event`.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` if a value of the event has no encoding.
  package func form(of event: Event) throws(AnnalsError) -> StoredForm {
    do throws(CodingFailure) {
      let (record, payload) = try plan.encode(event)
      return StoredForm(kind: record, payload: payload)
    } catch {
      throw AnnalsError(malformed: error, what: "an event")
    }
  }
}

extension PlanChain {
  /// Creates the pipeline of the chain.
  ///
  /// - Parameter contexts: The contexts of its stages.
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, or `shapeChanged` if a context is of another type.
  package func pipeline(_ contexts: FrozenContexts) throws(AnnalsError) -> PlanPipeline<Current.Event> {
    PlanPipeline(plan: try plan(contexts.contexts))
  }
}

extension CompiledPlan {
  /// Adds to `buffer` the current events of `form`.
  func upcast(_ form: StoredForm, _ origin: Origin, into buffer: EventBuffer) throws(UpcastRefusal) {
    let entrance: Entrance
    do throws(MissingStep) { entrance = try self.entrance(of: form.kind, unversioned: adopted) } catch {
      throw UpcastRefusal(error, form, origin)
    }
    do throws(UpcastFailure) {
      try upcast(entrance, payload: form.payload.span, origin: origin, into: buffer)
    } catch {
      throw UpcastRefusal(error, origin)
    }
  }
}

/// An error of an upcast, and the step that it comes from.
package struct UpcastRefusal: Error, Sendable {
  /// The error that a store throws.
  package let error: AnnalsError
  /// The step in words, independent of the version that the payload was stored under.
  package let place: String

  init(_ failure: UpcastFailure, _ origin: Origin) {
    error = AnnalsError(failure, origin)
    if case .undecodable(let coding) = failure.failure {
      place = "the payload cannot be decoded: \(coding.reason)"
    } else {
      place = failure.failure.description
    }
  }

  init(_ step: MissingStep, _ form: StoredForm, _ origin: Origin) {
    place = step.description
    error = AnnalsError(
      step.code,
      "position \(origin.position): a '\(form.type)' of \(form.version.map { "version \($0)" } ?? "no version") cannot be read: \(step)",
      details: AnnalsError.Details {
        $0.position = origin.position
        $0.type = form.type
        $0.version = form.version
      })
  }
}
