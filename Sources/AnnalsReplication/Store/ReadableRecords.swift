internal import AnnalsCoding
internal import AnnalsFormat
internal import AnnalsLog
internal import AnnalsSchema
internal import AnnalsShapes
internal import AnnalsStore
import Synchronization

/// The records that the program of a machine reads. Before an event that it cannot read, it stops to apply.
final class ReadableRecords: Sendable {
  private let reach: PlanResolver
  private let known = Mutex<Set<AppendRequest.Record>>([])

  init(_ reach: PlanResolver) {
    self.reach = reach
  }

  /// Returns why the program cannot read events of a record; `nil` if it can, or skips them.
  func refusal(of record: AppendRequest.Record) -> AnnalsError? {
    if known.withLock({ $0.contains(record) }) { return nil }
    do throws(MissingStep) {
      _ = try reach.plan.entrance(of: record, unversioned: reach.plan.adopted)
    } catch {
      let isNewer = record.version.map { $0 > reach.plan.current.version } ?? false
      if !isNewer || reach.skipping == nil { return AnnalsError(error, record) }
    }
    known.withLock { _ = $0.insert(record) }
    return nil
  }

  /// Returns why the program does not go on after a step of a roll-out; `nil` if it does.
  ///
  /// A program of an older version reads on after an activation: it stops at the first event that it cannot
  /// read. No program reads a store that has retired its version.
  func refusal(of step: RolloutStep) -> AnnalsError? {
    guard step.kind == .contract, reach.plan.current.version < step.version else { return nil }
    return AnnalsError(
      .superseded,
      "the cluster has retired the versions below \(step.version) of the schema, and this machine's program ends at \(reach.plan.current.version); it applies nothing more: use a program whose plan ends at \(step.version) or later, and it continues from there",
      details: AnnalsError.Details { $0.version = step.version })
  }
}

extension AnnalsError {
  /// The error for an activation of inline projections that this machine's program does not have; `nil` if it
  /// has all of them.
  init?(unknownIn rules: RuleSwitch, _ known: Set<RuleVersion>, _ version: SchemaVersion) {
    let unknown = rules.begins.filter { !known.contains($0) }
    guard !unknown.isEmpty else { return nil }
    self.init(
      .superseded,
      "the cluster has activated version \(version) with the inline projections \(unknown.list), which this machine's program does not have; it applies nothing more: use a program that has them, and it continues from there",
      details: Details { $0.version = version })
  }

  /// The error for an event that this machine's program cannot read.
  fileprivate init(_ step: MissingStep, _ record: AppendRequest.Record) {
    let version = record.version.map { "version \($0)" } ?? "no version"
    self.init(
      step.code,
      "the cluster has a '\(record.type.text)' of \(version), which this machine's program cannot read: \(step); it applies nothing more: use a program whose plan has \(version), and it continues from there",
      details: Details {
        $0.type = record.type.text
        $0.version = record.version
      })
  }
}
