@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsStore

/// A store, and the programs that may have it open, as far as a roll-out is concerned.
struct RolloutModel: Hashable {
  /// The forms in which the previous version can read a record of the next one.
  enum Reach: Hashable, CaseIterable { case readable, lowered, later }
  struct Stored: Hashable {
    let version: UInt32
    /// The form in which the previous version can read it.
    let reach: Reach
  }
  struct Program: Hashable {
    let version: UInt32
    let skips: Bool
  }
  /// The properties of the versions in all programs' plans.
  struct Versions: Hashable {
    /// Whether the second version has records that must be lowered.
    var secondNeedsLowering: Bool
    var thirdIsBridge: Bool
    var thirdNeedsLowering: Bool
  }

  let versions: Versions
  var phases: [UInt32: SchemaRow.Phase] = [:]
  var programs: Set<Program> = []
  var stored: Set<Stored> = []

  static func version(_ number: UInt32) -> SchemaVersion { SchemaVersion(number, 0, 0) }

  func stability(_ version: UInt32) -> SchemaStability {
    switch version {
    case 2: .bridge
    case 3: versions.thirdIsBridge ? .bridge : .released
    default: .released
    }
  }

  func plan(_ version: UInt32) -> RolloutPlan {
    RolloutPlan(
      version: Self.version(version), stability: stability(version),
      bridges: version == 3 ? [Self.version(2)] : [],
      needsLowering: version == 2
        ? versions.secondNeedsLowering
        : version == 3 && versions.thirdIsBridge && versions.thirdNeedsLowering)
  }

  func decision(_ version: UInt32) -> RolloutDecision {
    var rows: [SchemaVersion: SchemaRow] = [:]
    for (number, phase) in phases {
      var row = SchemaRow(
        version: Self.version(number), stability: SchemaRow.Stability(stability(number)))
      row.phase = phase
      rows[Self.version(number)] = row
    }
    return RolloutDecision(plan(version), rows)
  }

  var live: [LiveProgram] {
    programs.map { LiveProgram(version: Self.version($0.version), skipsNewerTypes: $0.skips) }
  }

  /// Whether nobody has moved on to a version that a program has not been promised anything of.
  func isAllowed(_ program: Program) -> Bool {
    !phases.contains { version, phase in
      version > program.version && (phase != .expanding || version > program.version + 1)
    }
  }

  func reads(_ program: Program, _ entry: Stored) -> Bool {
    if entry.version <= program.version { return true }
    guard entry.version == program.version + 1 else { return false }
    switch entry.reach {
    case .readable: return true
    case .lowered: return false
    case .later: return program.skips
    }
  }

  mutating func take(_ changes: [SchemaVersion: SchemaRow.Phase]) {
    for (version, phase) in changes { phases[version.major] = phase }
  }

  /// The state after a program has appended a record; `nil` if that was refused.
  func appending(_ reach: Reach, by program: Program) -> RolloutModel? {
    let version = program.version
    let plan = plan(version)
    if reach == .lowered, !plan.needsLowering { return nil }
    if reach == .later, plan.stability != .bridge { return nil }
    guard case .success(let verdict) = decision(version).append(hasLater: reach == .later, { live }) else {
      return nil
    }
    let isLowered = verdict.form == .shared && reach == .lowered
    let entry = Stored(version: isLowered ? version - 1 : version, reach: isLowered ? .readable : reach)
    // The store refuses versions that a later active one has followed.
    let active = phases.filter { $0.value == .active || $0.value == .contracted }.keys.max() ?? 0
    guard entry.version >= active else { return nil }
    var next = self
    next.take(verdict.changes)
    if next.phases[entry.version] == nil { next.phases[entry.version] = .present }
    next.stored.insert(entry)
    return next
  }

  func opening(_ program: Program) -> RolloutModel? {
    let contracted = phases.filter { $0.value == .contracted }.keys.max() ?? 0
    guard program.version >= contracted, stored.allSatisfy({ reads(program, $0) }) else { return nil }
    var next = self
    next.programs.insert(program)
    return next
  }

  /// A program ends, or is killed: its lease is free in either case.
  func ending(_ program: Program) -> RolloutModel {
    var next = self
    next.programs.remove(program)
    return next
  }

  func activating(_ version: UInt32, superseding: Bool) -> RolloutModel? {
    guard case .success(let changes) = decision(version).activation(alongside: live, superseding: superseding)
    else { return nil }
    var next = self
    next.take(changes)
    return next
  }

  func contracting(_ version: UInt32) -> RolloutModel? {
    guard !stored.contains(where: { $0.version < version }),
      !programs.contains(where: { $0.version < version })
    else { return nil }
    var next = self
    next.take(decision(version).contraction)
    next.phases[version] = .contracted
    return next
  }
}
