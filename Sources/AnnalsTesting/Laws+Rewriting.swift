public import Annals

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

extension Laws {
  /// Checks that a migration pass over a store results in the same values, coordinates, order and errors as
  /// reading it.
  ///
  /// The store itself is only read. Two copies are made in the system's folder for temporary files, and
  /// removed at the end. One is read and the other is rewritten. If stages of the plan move streams, passes
  /// first move the streams of both copies, because nothing can be read before that. Before a release that
  /// rewrites stores, run this with a user's store, or with one that is as long and as messy.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - url: The store, which may be in use.
  ///   - options: The options of the pass. Entries at which a rule fails are always set aside, so that the
  ///     rest is compared.
  /// - Returns: The report of the pass.
  /// - Throws: ``LawFailure`` with the position of the first difference, and ``AnnalsError`` if the store
  ///   cannot be copied, opened or rewritten.
  /// - Complexity: O(log), and disk for two copies and a new generation.
  @discardableResult
  public static func rewriting<Plan: SchemaMigrationPlan>(
    of plan: Plan.Type, store url: URL, _ options: MigrationOptions = MigrationOptions()
  ) async throws -> MigrationReport {
    let place = try TestStore()
    let rewritten = place.url.appendingPathExtension("rewritten")
    try EventLog(at: url, options: StoreOptions(access: .readOnly, creation: .never)).backup(to: place.url)
    try FileManager.default.copyItem(at: place.url, to: rewritten)
    var opening = StoreOptions(creation: .never)
    opening.activating = true
    var options = options
    options.unreadable = .quarantine
    options.isHolding = false
    options.isRehearsal = false
    options.unfinished = .resume
    // The pass that moves streams compares its own work. This law applies to the log after it.
    for copy in [place.url, rewritten] { try EventStore<Plan>.moveStreams(at: copy, options) }
    let old = try EventStore(at: place.url, plan: plan, options: opening)
    let new = try EventStore(at: rewritten, plan: plan, options: opening)
    let report = try await new.migrate(options).report()
    try await compare(old, new)
    let again = try await new.migrate(options).report()
    if again.isDone && report.quarantined == 0 {
      throw LawFailure("a second pass over the rewritten store still has something to do")
    }
    let findings = try EventLog.verify(rewritten).findings
    if let finding = findings.first {
      throw LawFailure("the rewritten store is damaged, \(finding.place): \(finding.problem)")
    }
    return report
  }

  /// The next result of a read.
  private enum Next: Equatable {
    case event(Place, StoredForm)
    case failure(AnnalsError.Code, Position?)
    case end
  }

  private static func compare<Plan: SchemaMigrationPlan>(
    _ old: EventStore<Plan>, _ new: EventStore<Plan>
  ) async throws {
    let pipeline = try Plan.stages.pipeline(old.contexts())
    var start: Position? = Position(1)
    while let from = start {
      var (left, right) = (
        old.entries(from: from).makeAsyncIterator(), new.entries(from: from).makeAsyncIterator()
      )
      while true {
        let (was, now) = (await next(&left, pipeline), await next(&right, pipeline))
        guard was == now else {
          throw LawFailure(
            "the store does not read the same after the pass: \(text(was)) was delivered before, \(text(now)) is now"
          )
        }
        if case .event = was { continue }
        // After an entry that cannot be read, both continue.
        if case .failure(_, let position?) = was {
          start = Position(position.rawValue + 1)
        } else {
          start = nil
        }
        break
      }
    }
  }

  private static func next<Event: SchemaEvent>(
    _ entries: inout AsyncEntries<Entry<Event>>.AsyncIterator, _ pipeline: PlanPipeline<Event>
  ) async -> Next {
    do throws(AnnalsError) {
      guard let entry = try await entries.next() else { return .end }
      return .event(
        Place(
          position: entry.position, stream: entry.stream, revision: entry.revision, path: entry.path,
          id: entry.id, time: entry.timestamp), try pipeline.form(of: entry.event))
    } catch {
      return .failure(error.code, error.details.position)
    }
  }

  private static func text(_ next: Next) -> String {
    switch next {
    case .event(let place, let form): "a '\(form.type)' at \(place)"
    case .failure(let code, let position): "'\(code)'\(position.map { " at position \($0)" } ?? "")"
    case .end: "nothing more"
    }
  }
}
