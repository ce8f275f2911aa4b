package import AnnalsCoding
package import AnnalsLog
package import AnnalsSchema

extension CompiledPlan {
  /// Throws unless the plan begins no earlier than the one of the last migration pass: retired versions stay
  /// retired.
  package func mustNotBeDowngraded(_ log: EventLog) throws(AnnalsError) {
    let refusal = try log.read { (snapshot) throws(AnnalsError) in
      try self.refusal(byOldest: snapshot.reader.oldest())
    }
    if let refusal { throw refusal }
  }

  /// Returns why a store refuses the plan, regardless of its events; `nil` if it does not.
  package func refusal(by snapshot: borrowing LogSnapshot) throws(AnnalsError) -> AnnalsError? {
    if let refusal = try self.refusal(byOldest: snapshot.reader.oldest()) { return refusal }
    do throws(AnnalsError) { try PlanResolver(self).mustNotBeContracted(snapshot.kinds) } catch {
      return error
    }
    return nil
  }

  /// Returns why a store that was rewritten with a plan beginning at `stored` refuses this one; `nil` if it
  /// does not.
  fileprivate func refusal(byOldest stored: SchemaVersion?) -> AnnalsError? {
    guard let stored, let oldest = schemas.first?.version, oldest < stored else { return nil }
    return AnnalsError(
      .superseded,
      "the plan begins at version \(oldest), and a migration pass has been run with one that begins at \(stored): use that program or a later one",
      details: AnnalsError.Details { $0.version = stored })
  }
}

extension PlanChain {
  /// The plan up to the version that the chain ends at.
  package func cut(_ contexts: StageContexts, adopted: SchemaVersion?) throws(AnnalsError) -> CompiledPlan {
    var plan = try self.plan(contexts)
    plan.adopted = adopted
    return plan
  }
}
