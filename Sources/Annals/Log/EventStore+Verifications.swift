package import AnnalsCoding
internal import AnnalsSchema

/// The comparison that a stage makes of the older log and what it becomes.
package struct StageVerification {
  /// The older version.
  package let from: SchemaVersion
  /// The newer version.
  package let to: SchemaVersion
  /// Makes the comparison, and throws what it throws.
  package let run: () throws -> Void
}

extension EventStore {
  /// The comparisons that the plan's stages make, oldest stage first, each over all events that the store has now; none for a stage behind which they all are.
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
