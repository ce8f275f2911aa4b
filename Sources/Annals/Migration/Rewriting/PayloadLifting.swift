internal import AnnalsCoding
internal import AnnalsSchema

/// Takes payloads through a plan and encodes what comes out: the same gate as reads go through.
///
/// A reference, because it is used for every entry and a plan holds many others.
final class PayloadLifting {
  let plan: CompiledPlan
  /// The events of the payload that was upcast last, encoded.
  let delivery = EncodedDelivery()

  init(_ plan: CompiledPlan) {
    self.plan = plan
  }

  /// Lifts a payload of a kind; its events are then in ``delivery``.
  ///
  /// - Throws: ``Setback``.
  func lift(_ payload: Span<UInt8>, _ fate: KindFate, _ origin: Origin) throws(Setback) {
    delivery.clear()
    guard let entrance = fate.entrance else {
      guard case .unreadable(let step) = fate.payload else { return }
      throw Setback(AnnalsError(step, fate.kind, at: origin.position))
    }
    do throws(LiftFailure) {
      try plan.lift(entrance, payload: payload, origin: origin, into: delivery)
    } catch {
      throw Setback(error, origin, to: plan.current.version)
    }
    if let failure = delivery.content.failure {
      throw Setback(
        failure.cause, plan.written[failure.caseIndex].type.text, origin, from: fate.kind.version,
        to: plan.current.version)
    }
  }
}

extension PayloadLifting {
  /// Lifts each payload of an entry in turn.
  ///
  /// - Parameters:
  ///   - fates: What becomes of the kinds that it may be of.
  ///   - origin: What rules may know of the entry.
  ///   - body: Is called after each payload, whose events are then in ``delivery``.
  func lift(
    _ entry: borrowing LentEntry, _ fates: FateTable, _ origin: Origin, _ body: () -> Void
  ) throws(Setback) {
    if let payload = entry.payload {
      try lift(payload, fates.fate(of: entry.kind, entry.position), origin)
      return body()
    }
    var setback: Setback?
    do throws(AnnalsError) {
      try entry.eachPart { (kind, path, payload) throws(AnnalsError) in
        var origin = origin
        origin.path = path
        do throws(Setback) { try lift(payload, fates.fate(of: kind, entry.position), origin) } catch {
          setback = error
          throw error.error
        }
        body()
      }
    } catch {
      throw setback ?? Setback(error)
    }
  }
}
