public import Annals

/// The laws of reading that a plan must obey, each as a check.
public enum Laws {
  /// Checks that samples read the same in one go as when they are stored again at any or all versions in
  /// between.
  ///
  /// An encoding that loses data violates this law, and so does a rule of a later stage that sees more than
  /// the stored values.
  ///
  /// - Throws: ``HarnessReport``, and the errors of ``MigrationHarness/report()``.
  public static func pathIndependence<Plan: SchemaMigrationPlan>(of plan: Plan.Type) async throws {
    let report = try await MigrationHarness(plan).report(withStores: false)
    if !report.disagreements.isEmpty { throw report }
  }

  /// Checks that every event the plan delivers from `place` has the coordinates of its entry.
  ///
  /// Positions, revisions, order and stream membership must be those of the log. Parts of a split share those
  /// of the entry, and have rising paths. The revision of a stream's head also counts dropped entries.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - place: A store with events of any versions.
  /// - Throws: ``LawFailure``, and ``AnnalsError`` if the store cannot be read.
  public static func coordinates<Plan: SchemaMigrationPlan>(
    of plan: Plan.Type, in place: TestStore
  ) throws {
    let store = try place.activate(plan: plan)
    var stored: [Position: Place] = [:]
    var heads: [StreamName: Revision] = [:]
    try store.log.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        stored[entry.position] = Place(entry)
        heads[entry.stream] = entry.revision
      }
    }
    let all = try store.read { (snapshot) throws -> [Place] in
      for (stream, revision) in heads where try snapshot.revision(of: stream) != revision {
        throw LawFailure(
          "stream '\(stream)' ends at revision \(revision), and the plan's store says otherwise")
      }
      var entries = try snapshot.entries()
      return try Place.all(&entries)
    }
    try Place.check(all, against: stored)
    for stream in heads.keys.sorted() {
      let alone = try store.read { (snapshot) throws -> [Place] in
        var entries = try snapshot.entries(in: stream)
        return try Place.all(&entries)
      }
      guard alone == all.filter({ $0.stream == stream }) else {
        throw LawFailure("stream '\(stream)' alone does not read as in the whole log")
      }
    }
  }

  /// Checks that the rules are pure, as far as one process can detect.
  ///
  /// - Throws: As ``Purity/check(_:)``.
  public static func purity<Plan: SchemaMigrationPlan>(of plan: Plan.Type) async throws {
    try await Purity.check(plan)
  }
}
