public import Annals

/// Checks that the rules of a plan return the same results whenever, wherever and however often they run.
///
/// Purity cannot be proved, but most impure rules are found. In one process ``check(_:)`` finds rules that
/// read a clock, a random source or a counter. The order of a `Set` and the time zone differ from process to
/// process, so they need a second one. With Swift Testing, use an exit test:
///
/// ```swift
/// @Test(arguments: Surroundings.all)
/// func `rules give the same in another process`(surroundings: Surroundings) async throws {
///   let digest = try Purity.digest(of: WorkoutPlan.self)
///   await #expect(processExitsWith: .success) {
///     [digest = digest as String, surroundings = surroundings as Surroundings] in
///     surroundings.enter()
///     try Purity.expect(digest, of: WorkoutPlan.self)
///   }
/// }
/// ```
///
/// Without exit tests, use recorded ``Fixtures``, which another process wrote. Run the tests a second time
/// with another `TZ` in the environment to compare with them again.
///
/// The rules run over the `samples` of all records of all versions. Each sample is read at several places of
/// a log, and at times at which calendars disagree. A rule is tested only by its samples. To find a `Set`
/// whose order matters, a sample needs more than a few elements. To find a calendar, it needs a date close to
/// midnight.
public enum Purity {
  /// Computes the SHA-256, in hexadecimal digits, of the events of all samples and of the contexts of the
  /// plan's stages.
  ///
  /// It is the same in every process and on every machine as long as plan and samples stay the same.
  ///
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, `malformed` for a sample that cannot be encoded, and
  ///   the errors of a stage's `prepare`.
  public static func digest<Plan: SchemaMigrationPlan>(of plan: Plan.Type) throws -> String {
    var bytes: [UInt8] = []
    for trial in try Trial.all(of: plan) {
      bytes += try trial.contextBytes()
      for index in trial.log.samples.indices { bytes += trial.outcome(index).bytes }
    }
    return Digest.text(of: bytes)
  }

  /// Checks that the plan has this digest. Call it in the second process.
  ///
  /// - Parameter digest: The result of ``digest(of:)`` in the first process.
  /// - Throws: ``PurityFailure``, and as ``digest(of:)``.
  public static func expect<Plan: SchemaMigrationPlan>(_ digest: String, of plan: Plan.Type) throws {
    let found = try self.digest(of: plan)
    guard found == digest else {
      throw PurityFailure(
        "the rules of \(plan) give something else in this process: expected \(digest), found \(found). Look for Calendar.current, Locale.current, TimeZone.current and for loops over a Set or a Dictionary"
      )
    }
  }

  /// Checks that the rules return the same results again, in another order, in several tasks at once, and in
  /// a new plan.
  ///
  /// - Throws: ``PurityFailure`` with the first sample that has a different result, and as ``digest(of:)``.
  public static func check<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) async throws {
    for (trial, renewed) in zip(try Trial.all(of: plan), try Trial.all(of: plan)) {
      try await check(plan, trial, renewed)
    }
  }

  private static func check<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ trial: Trial, _ renewed: Trial
  ) async throws {
    let indices = Array(trial.log.samples.indices)
    let first = indices.map(trial.outcome)
    try trial.expect(first, in: indices, "again")
    var generator = SplitMix64(state: 1)
    try trial.expect(first, in: indices.shuffled(using: &generator), "in another order")
    guard try renewed.contextBytes() == trial.contextBytes() else {
      throw PurityFailure("a 'prepare' of \(plan) gives another context when it runs again over the same log")
    }
    try renewed.expect(first, in: indices, "in a plan made again")
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        let order = indices.shuffled(using: &generator)
        group.addTask { try trial.expect(first, in: order, "in several tasks at once") }
      }
      try await group.waitForAll()
    }
  }

  /// A plan ready to run over its samples.
  private struct Trial: Sendable {
    let log: SampleLog
    let contexts: FrozenContexts
    let upcaster: SampleUpcaster

    /// Returns the samples of all records as one log, and each log that a schema declares.
    static func all<Plan: SchemaMigrationPlan>(of plan: Plan.Type) throws -> [Trial] {
      let links = try Link.all(of: plan)
      let samples = SampleLog(everyMomentOf: links.flatMap(\.samples))
      return try [Trial(plan, samples)] + links.flatMap(\.logs).map { try Trial(plan, SampleLog($0)) }
    }

    private init<Plan: SchemaMigrationPlan>(_ plan: Plan.Type, _ log: SampleLog) throws {
      self.log = log
      contexts = try Plan.readableContexts(of: log.entries).contexts
      upcaster = try SampleUpcaster(Plan.stages, contexts, over: log.entries)
    }

    func contextBytes() throws -> [UInt8] {
      try contexts.bytes().flatMap { Array("context \($0.version) \($0.bytes.hex)\n".utf8) }
    }

    func outcome(_ index: Int) -> Outcome {
      upcaster.outcome(log.samples[index].form, log.origins[index])
    }

    func expect(_ first: [Outcome], in order: [Int], _ how: String) throws(PurityFailure) {
      for index in order {
        let found = outcome(index)
        guard found.bytes != first[index].bytes else { continue }
        let sample = log.samples[index]
        let version = sample.form.version.map { " of \($0)" } ?? ""
        throw PurityFailure(
          "\(sample.name)\(version) at position \(log.origins[index].position) gives something else \(how):\n    first \(first[index])\n    then  \(found)"
        )
      }
    }
  }
}
