public import AnnalsCoding

/// What each stage of a plan does to each record, and what is wrong or worth knowing about it.
///
/// It is worked out from the plan alone: no store is opened. Its description is the report that people read.
///
/// ```swift
/// @Test func `the plan holds together`() throws {
///   try OrderPlan.check(lock: lock)
/// }
/// ```
///
/// What it cannot see: a field that keeps name and type and means something else from a version on. Give such a field, or its record, another name.
public struct PlanCheck: Sendable {
  /// Which programs have to read which events.
  public enum Compatibility: Hashable, Sendable {
    /// Newer programs read older events: what every plan does.
    case backward
    /// Older programs read newer events, too, as where records leave the machine.
    case full
  }

  /// The name of the plan.
  public let plan: String
  /// The versions, oldest first.
  public let versions: [SchemaVersion]
  /// The stages, oldest first.
  public let stages: [Stage]
  /// From which version on programs read each record of each version, oldest version first.
  public let readers: [Readers]
  /// What is wrong or worth knowing: errors, then warnings, then notes.
  public internal(set) var findings: [Finding]

  /// What is wrong: a test of the plan fails over it.
  public var errors: [Finding] { findings.filter { $0.severity == .error } }

  /// Works out what the stages of `plan` do, whatever is wrong with it.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - compatibility: With `.full`, what older programs cannot read is a warning, else a note.
  /// - Complexity: O(records · versions), and what the records' samples take.
  public init<Plan: SchemaMigrationPlan>(of plan: Plan.Type, compatibility: Compatibility = .backward) {
    let chain = Plan.stages
    self.init(
      plan, chain.outline, PlanSamples(of: chain), compatibility, compilation: Self.failure(of: plan))
  }

  /// What the parts of a plan that are worked out already say.
  package init<Plan: SchemaMigrationPlan>(
    _ plan: Plan.Type, _ outline: ChainOutline, _ samples: PlanSamples, _ compatibility: Compatibility,
    compilation: AnnalsError?
  ) {
    self.plan = String(describing: plan)
    versions = outline.schemas.map(\.version)
    let reuses = FieldHistory(outline).reuses()
    stages = outline.stages.indices.map { Stage(outline, at: $0, reuses: reuses) }
    readers = Readers.all(of: outline)
    var list = FindingList(outline: outline, stages: stages, compatibility: compatibility)
    list.gather(samples, compilation)
    findings = list.findings
    sortFindings()
  }

  /// Adds something worth knowing.
  package mutating func add(_ finding: Finding) {
    findings.append(finding)
    sortFindings()
  }

  private mutating func sortFindings() {
    findings = Finding.Severity.allCases.flatMap { severity in findings.filter { $0.severity == severity } }
  }

  /// Why `plan` cannot be compiled, if it cannot.
  package static func failure<Plan: SchemaMigrationPlan>(of plan: Plan.Type) -> AnnalsError? {
    do throws(AnnalsError) {
      _ = try CompiledPlan(plan)
      return nil
    } catch {
      return error
    }
  }
}
