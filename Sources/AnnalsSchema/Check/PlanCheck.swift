public import AnnalsCoding

/// The effect of each stage of a plan on each record, with the findings about the plan.
///
/// The check uses only the plan: no store is opened. Its description is a report for people.
///
/// ```swift
/// @Test func `the plan holds together`() throws {
///   try OrderPlan.check(lock: lock)
/// }
/// ```
///
/// The check cannot detect a field that keeps its name and type but changes its meaning. Rename such a field,
/// or its record.
public struct PlanCheck: Sendable {
  /// Which programs must read which events.
  public enum Compatibility: Hashable, Sendable {
    /// Newer programs read older events, as with every plan.
    case backward
    /// Older programs also read newer events, for example because records leave the machine.
    case full
  }

  /// The name of the plan.
  public let plan: String
  /// The versions, oldest first.
  public let versions: [SchemaVersion]
  /// The stages, oldest first.
  public let stages: [Stage]
  /// The oldest version whose programs read each record of each version, oldest version first.
  public let readers: [Readers]
  /// The findings: errors, then warnings, then notes.
  public internal(set) var findings: [Finding]

  /// The findings that are errors; a test of the plan fails if there are any.
  public var errors: [Finding] { findings.filter { $0.severity == .error } }

  /// Checks the stages of `plan`, even if the plan is invalid.
  ///
  /// - Parameters:
  ///   - plan: The plan.
  ///   - compatibility: With `.full`, a record that older programs cannot read is a warning, otherwise a
  ///     note.
  /// - Complexity: O(records · versions), and the time for the records' samples.
  public init<Plan: SchemaMigrationPlan>(of plan: Plan.Type, compatibility: Compatibility = .backward) {
    let chain = Plan.stages
    self.init(
      plan, chain.outline, PlanSamples(of: chain), compatibility, compilation: Self.failure(of: plan))
  }

  /// Creates the check from parts of a plan that are already computed.
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

  /// Adds a finding.
  package mutating func add(_ finding: Finding) {
    findings.append(finding)
    sortFindings()
  }

  private mutating func sortFindings() {
    findings = Finding.Severity.allCases.flatMap { severity in findings.filter { $0.severity == severity } }
  }

  /// Returns why `plan` cannot be compiled, if it cannot.
  package static func failure<Plan: SchemaMigrationPlan>(of plan: Plan.Type) -> AnnalsError? {
    do throws(AnnalsError) {
      _ = try CompiledPlan(plan)
      return nil
    } catch {
      return error
    }
  }
}
