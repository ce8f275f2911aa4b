public import Annals

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Reads the samples of every version as every later version, by every route, and compares the results.
///
/// ```swift
/// @Test func `every version reads as every later one`() async throws {
///   try await MigrationHarness(WorkoutPlan.self).check(requiringSamples: true)
/// }
/// ```
///
/// There are three routes: the plan in one go; a real store on disk with a program of each version; and
/// samples stored again at one or each version in between, as a migration pass does. Errors are compared like
/// values. If stages move streams, events of stores are compared without their streams. Events that the store
/// does not deliver are then skipped, because `Streams` may have dropped them.
public struct MigrationHarness<Plan: SchemaMigrationPlan>: Sendable {
  /// Creates a harness for `plan`.
  public init(_ plan: Plan.Type) {}

  /// Checks that all routes agree, and throws the report if two do not.
  ///
  /// - Parameter requiringSamples: Whether a record without samples is also a mistake.
  /// - Throws: ``HarnessReport``, and the errors of ``report()``.
  public func check(requiringSamples: Bool = false) async throws {
    let report = try await report()
    if !report.disagreements.isEmpty || requiringSamples && !report.uncovered.isEmpty { throw report }
  }

  /// Reads all samples by all routes.
  ///
  /// - Returns: The findings, even if there is no problem.
  /// - Throws: ``AnnalsError`` with code `invalidPlan`, `malformed` for a sample that cannot be encoded, or
  ///   the errors of stores.
  /// - Complexity: For n versions, n stores and n² opens.
  public func report() async throws -> HarnessReport {
    try await report(withStores: true)
  }

  /// Reads all samples by all routes, or only by those that need no store.
  func report(withStores: Bool) async throws -> HarnessReport {
    let links = try Link.all(of: Plan.self)
    var report = HarnessReport()
    for index in links.indices {
      for (record, samples) in links[index].records {
        for later in links[index...] {
          report.coverage.append(
            HarnessReport.Coverage(
              record: record, from: links[index].version, to: later.version, samples: samples.count))
        }
      }
      for group in links[index].groups {
        // If one stage refuses a sample before another stage reads the whole log, the sample gets a log of
        // its own. Its log cannot be read.
        let refused = try Plan.readableContexts(of: SampleLog(group).entries).refused
        let isRefused = { (number: Int) in refused.contains(Position(UInt64(number) + 1)) }
        let readable = group.indices.filter { !isRefused($0) }.map { group[$0] }
        if !readable.isEmpty {
          try await read(readable, links, from: index, withStores: withStores, into: &report)
        }
        for number in group.indices where isRefused(number) {
          try await read(
            [group[number]], links, from: index, withStores: withStores, isRefused: true, into: &report)
        }
      }
    }
    return report
  }

  /// Reads the samples of a group by all routes.
  ///
  /// - Parameter isRefused: Whether no store with the samples can be activated at the current version.
  private func read(
    _ samples: [Sample], _ links: [Link], from first: Int, withStores: Bool, isRefused: Bool = false,
    into report: inout HarnessReport
  ) async throws {
    var log = SampleLog(samples)
    var contexts = FrozenContexts()
    var stored: [Int: [Outcome]] = [:]
    if withStores {
      let place = try TestStore()
      let raw = try EventLog(at: place.url)
      try await raw.append(log.entries)
      log = SampleLog(samples, log: raw.id)
      for index in links.indices.dropFirst(first) {
        do throws(AnnalsError) {
          stored[index] = try Self.outcomes(
            links[index].chain, isLast: index == links.count - 1, in: place, count: log.samples.count)
        } catch {
          guard isRefused, error.refusedPosition != nil else { throw error }
          stored[index] = log.samples.map { _ in .refused(error.code, message: error.message, place: nil) }
        }
      }
      if !isRefused { contexts = try place.activate(plan: Plan.self).contexts() }
    }
    if isRefused || !withStores { contexts = try Plan.readableContexts(of: log.entries).contexts }
    var upcasters: [SampleUpcaster] = []
    for link in links { upcasters.append(try link.upcaster(contexts, over: log.entries)) }
    // The whole log is stored again at each version, because a fold needs the events before an entry.
    var steps = upcasters
    var stepped = log.entries
    for index in links.indices.dropFirst(first + 1) {
      steps[index] = try links[index].upcaster(contexts, over: stepped)
      stepped = steps[index].log(stepped)
    }
    let logs = upcasters.map { $0.log(log.entries) }
    for last in links.indices.dropFirst(first) {
      for (number, (sample, origin)) in zip(log.samples, log.origins).enumerated() {
        let expected = upcasters[last].outcome(sample.form, origin)
        var comparison = Comparison(
          sample: sample, from: links[first].version, to: links[last].version, expected: expected)
        if last == first {
          comparison.compare(.events([.init(sample.form, origin)]), .steps, &report)
        } else {
          comparison.compare(
            SampleUpcaster.outcome(of: sample.form, at: origin, through: steps[(first + 1)...last]), .steps,
            &report)
        }
        for between in links.indices where between > first && between < last {
          let again = try links[last].upcaster(contexts, over: logs[between])
          let found = SampleUpcaster.outcome(
            of: sample.form, at: origin, through: [upcasters[between], again])
          comparison.compare(found, .through(links[between].version), &report)
        }
        if let stored = stored[last] {
          // An activation describes the entry in words of its own; the code is the same.
          comparison.compare(stored[number], .store, &report, isMoved: Plan.movesStreams || isRefused)
        }
        comparison.note(&report)
      }
    }
  }

  /// Returns the results at positions 1 to `count` of a program whose version is the end of `chain`.
  private static func outcomes<Chain: PlanChain>(
    _ chain: Chain, isLast: Bool, in place: TestStore, count: Int
  ) throws(AnnalsError) -> [Outcome] {
    // The last one is the plan as programs open it.
    if isLast { return try outcomes(in: place.activate(plan: Plan.self), count: count) }
    return try outcomes(in: place.activate(plan: Earlier<Plan, Chain.Current>.self), count: count)
  }

  private static func outcomes<Program>(
    in store: EventStore<Program>, count: Int
  ) throws(AnnalsError) -> [Outcome] {
    let pipeline = try Program.stages.pipeline(store.contexts())
    return try store.read { (snapshot) throws(AnnalsError) in
      var outcomes: [Outcome] = []
      for number in 1...UInt64(count) {
        let position = Position(number)
        var found: [Entry<Program.Current.Event>] = []
        var refused: Outcome?
        do throws(AnnalsError) {
          var entries = try snapshot.entries(from: position)
          while let entry = try entries.next(), entry.position == position { found.append(entry) }
        } catch {
          // If the entry has no events, the reader continues with the next one, which gets a read of its own.
          if error.details.position == position {
            refused = .refused(error.code, message: error.message, place: nil)
          }
        }
        outcomes.append(refused ?? pipeline.outcome(of: found))
      }
      return outcomes
    }
  }
}

/// One sample read from one version as another.
private struct Comparison {
  let sample: Sample
  let from: SchemaVersion
  let to: SchemaVersion
  let expected: Outcome
  private(set) var agrees = true

  init(sample: Sample, from: SchemaVersion, to: SchemaVersion, expected: Outcome) {
    self.sample = sample
    self.from = from
    self.to = to
    self.expected = expected
  }

  /// Records a different result of another route.
  ///
  /// - Parameter isMoved: Whether the event may be in another stream.
  mutating func compare(
    _ found: Outcome, _ route: HarnessReport.Route, _ report: inout HarnessReport, isMoved: Bool = false
  ) {
    guard isMoved ? !expected.agreesButForStreams(with: found) : !expected.agrees(with: found) else { return }
    agrees = false
    report.disagreements.append(
      HarnessReport.Disagreement(
        record: sample.form.type, sample: sample.number, from: from, to: to, route: route,
        expected: expected.description, found: found.description))
  }

  /// Records a sample that all routes refuse.
  func note(_ report: inout HarnessReport) {
    guard agrees, case .refused(let code, let message, let place) = expected else { return }
    report.refusals.append(
      HarnessReport.Refusal(
        record: sample.form.type, sample: sample.number, from: from, to: to,
        reason: "\(code), \(place ?? message)"))
  }
}

extension Outcome.Part {
  /// Creates the outcome of an event that is read as the version under which it is stored.
  init(_ form: StoredForm, _ origin: Origin) {
    self.init(
      position: origin.position, stream: origin.stream, revision: origin.revision, path: origin.path,
      form: form)
  }
}
