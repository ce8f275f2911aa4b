internal import AnnalsCoding
internal import AnnalsLog
internal import AnnalsSchema
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
}

extension AnnalsError {
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
