internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore

/// Takes payloads through a plan and encodes what comes out: the same gate as reads go through.
///
/// A reference, because it is used for every entry and a plan holds many others.
final class PayloadUpcaster {
  let plan: CompiledPlan
  /// The events of the payload that was upcast last, encoded.
  let delivery = EncodedEventBuffer()

  init(_ plan: CompiledPlan) {
    self.plan = plan
  }

  /// Upcasts a payload of a kind; its events are then in ``delivery``.
  ///
  /// - Throws: ``RewriteFailure``.
  func upcast(_ payload: Span<UInt8>, _ fate: KindFate, _ origin: Origin) throws(RewriteFailure) {
    delivery.clear()
    guard let entrance = fate.entrance else {
      guard case .unreadable(let step) = fate.payload else { return }
      throw RewriteFailure(AnnalsError(step, fate.kind, at: origin.position))
    }
    do throws(StepFailure) { try entrance.upcast(payload, origin, into: delivery) } catch {
      throw RewriteFailure(plan.failure(at: entrance, error), origin, to: plan.current.version)
    }
    if delivery.hasFailed { try throwFailure(fate, origin) }
  }

  /// Throws the error for an event that has no encoding.
  @inline(never)
  private func throwFailure(_ fate: KindFate, _ origin: Origin) throws(RewriteFailure) {
    guard let failure = delivery.content.failure else { return }
    throw RewriteFailure(
      failure.cause, plan.written[failure.caseIndex].type.text, origin, from: fate.kind.version,
      to: plan.current.version)
  }
}

extension PayloadUpcaster {
  /// Upcasts each payload of an entry in turn.
  ///
  /// - Parameters:
  ///   - fates: What becomes of the kinds that it may be of.
  ///   - origin: What rules may know of the entry.
  ///   - body: Is called after each payload, whose events are then in ``delivery``.
  func upcast(
    _ entry: borrowing LentEntry, _ fates: FateTable, _ origin: Origin, _ body: () -> Void
  ) throws(RewriteFailure) {
    if let payload = entry.payload {
      try upcast(payload, fates.fate(of: entry.kind, entry.position), origin)
      return body()
    }
    var setback: RewriteFailure?
    do throws(AnnalsError) {
      try entry.eachPart { (kind, path, payload) throws(AnnalsError) in
        var origin = origin
        origin.path = path
        do throws(RewriteFailure) { try upcast(payload, fates.fate(of: kind, entry.position), origin) } catch
        {
          setback = error
          throw error.error
        }
        body()
      }
    } catch {
      throw setback ?? RewriteFailure(error)
    }
  }
}
