package import AnnalsCoding
internal import AnnalsLog
package import AnnalsSchema

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// What a report asks of a plan, without the plan's type.
package struct ReportPlan: Sendable {
  /// The versions of the plan, oldest first.
  package let versions: [SchemaVersion]
  let check: @Sendable (URL) throws(AnnalsError) -> StoreCheck
  let explain: @Sendable (EventLog, Position) throws(AnnalsError) -> EntryExplanation

  package init<Plan: SchemaMigrationPlan>(_ plan: Plan.Type) {
    versions = PlanCheck(of: Plan.self).versions
    check = { (store) throws(AnnalsError) in try Plan.check(store: store) }
    explain = { (log, position) throws(AnnalsError) in try log.explain(position, plan: Plan.self) }
  }
}
