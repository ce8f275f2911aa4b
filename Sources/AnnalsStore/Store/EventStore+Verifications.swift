package import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema

/// A stage's comparison of the older log with its upcast form.
package struct StageVerification {
  /// The older version.
  package let from: SchemaVersion
  /// The newer version.
  package let to: SchemaVersion
  /// Makes the comparison, and throws its errors.
  package let run: () throws -> Void
}

extension EventStore {
  /// Returns the comparisons of the plan's stages, oldest stage first, each over all events that the store
  /// has now. A stage that all events are past has none.
  package func verifications() throws(AnnalsError) -> [StageVerification] {
    let plan = reach.plan
    let contexts = try Activation(log, plan).contexts()
    let last = try log.read { (snapshot) throws(AnnalsError) in try snapshot.reader.last() }
    let history = LogHistory(log: log, last: last, adopted: plan.adopted)
    var verifications: [StageVerification] = []
    for (index, work) in plan.works.enumerated() {
      let (from, to) = (plan.schemas[index].version, plan.schemas[index + 1].version)
      guard let verify = work.verify, try history.isStored(below: to, of: plan) else { continue }
      verifications.append(StageVerification(from: from, to: to) { try verify(history, contexts) })
    }
    return verifications
  }
}
