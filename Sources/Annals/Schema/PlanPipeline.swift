/// The one pipeline by which events are delivered, for payloads that stand in no store.
package struct PlanPipeline<Event: SchemaEvent>: Sendable {
  var plan: CompiledPlan

  /// What `form` is in the pipeline's current version, as a store delivers it.
  ///
  /// - Parameters:
  ///   - form: The payload as it is stored.
  ///   - origin: What is known of the entry.
  /// - Throws: ``LiftRefusal`` with the error that a store throws.
  package func entries(
    of form: StoredForm, at origin: Origin
  ) throws(LiftRefusal) -> [Entry<Event>] {
    let entrance: CompiledPlan.Entrance
    do throws(MissingStep) {
      entrance = try plan.entrance(of: form.kind, unversioned: plan.adopted)
    } catch {
      throw LiftRefusal(error, form, origin)
    }
    let delivery = Delivery<Event>()
    do throws(LiftFailure) {
      try plan.lift(entrance, payload: form.payload.span, origin: origin, into: delivery)
    } catch {
      throw LiftRefusal(error, origin)
    }
    return delivery.entries
  }

  /// `event` as a store keeps it.
  ///
  /// - Throws: ``AnnalsError`` with code `malformed` where a value of the event has no encoding.
  package func form(of event: Event) throws(AnnalsError) -> StoredForm {
    do throws(CodingFailure) {
      let (record, payload) = try plan.encode(event)
      return StoredForm(kind: record, payload: payload)
    } catch {
      throw AnnalsError(malformed: error, what: "an event")
    }
  }
}

/// An error of a lift, and the step that it comes from.
package struct LiftRefusal: Error, Sendable {
  /// What a store throws.
  package let error: AnnalsError
  /// The step in words, the same whatever version the payload was stored under.
  package let place: String

  init(_ failure: LiftFailure, _ origin: Origin) {
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
