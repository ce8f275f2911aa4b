import Testing

@testable import AnnalsFormat
@testable import AnnalsLog
@testable import AnnalsStore

@Suite struct RolloutDecisionTests {
  private static let programs: [RolloutModel.Program] = [
    .init(version: 1, skips: false), .init(version: 1, skips: true), .init(version: 2, skips: false),
    .init(version: 2, skips: true), .init(version: 3, skips: false),
  ]

  private static func successors(of state: RolloutModel) -> [RolloutModel] {
    var next: [RolloutModel] = []
    for program in programs {
      guard state.programs.contains(program) else {
        if let opened = state.opening(program) { next.append(opened) }
        continue
      }
      next.append(state.ending(program))
      for reach in RolloutModel.Reach.allCases {
        if let appended = state.appending(reach, by: program) { next.append(appended) }
      }
      for superseding in [false, true] {
        if let active = state.activating(program.version, superseding: superseding) { next.append(active) }
      }
      if let contracted = state.contracting(program.version) { next.append(contracted) }
    }
    return next
  }

  @Test(arguments: [
    RolloutModel.Versions(secondNeedsLowering: false, thirdIsBridge: false, thirdNeedsLowering: false),
    .init(secondNeedsLowering: true, thirdIsBridge: false, thirdNeedsLowering: false),
    .init(secondNeedsLowering: false, thirdIsBridge: true, thirdNeedsLowering: false),
    .init(secondNeedsLowering: true, thirdIsBridge: true, thirdNeedsLowering: false),
    .init(secondNeedsLowering: false, thirdIsBridge: true, thirdNeedsLowering: true),
    .init(secondNeedsLowering: true, thirdIsBridge: true, thirdNeedsLowering: true),
  ])
  func `no open program that is allowed meets an entry that it cannot read, in any order of events`(
    versions: RolloutModel.Versions
  ) {
    var known: Set<RolloutModel> = [RolloutModel(versions: versions)]
    var rest = Array(known)
    var phases: Set<SchemaRow.Phase> = []
    while let state = rest.popLast() {
      phases.formUnion(state.phases.values)
      for program in state.programs where state.isAllowed(program) {
        for entry in state.stored where !state.reads(program, entry) {
          Issue.record("\(program) does not read \(entry) in \(state)")
          return
        }
        // No allowed program is kept from appending the records that its own version has always appended.
        if state.appending(.readable, by: program) == nil, program.version < 3 {
          Issue.record("\(program) cannot append in \(state)")
          return
        }
      }
      for next in Self.successors(of: state) where known.insert(next).inserted { rest.append(next) }
    }
    #expect(known.count > 1_000)
    #expect(phases == [.present, .expanding, .active, .contracted])
  }

  private let second = RolloutPlan(
    version: SchemaVersion(2, 0, 0), stability: .bridge, needsLowering: true)

  @Test func `a held lease that cannot be read keeps a bridge low`() {
    let unread = LiveProgram(version: nil)
    let decision = RolloutDecision(second, [:])
    #expect(
      decision.append { () throws(Never) in [unread] }
        == .success(.init(form: .shared, changes: [second.version: .expanding])))
    #expect(decision.activation(alongside: [unread], superseding: false) == .failure(.needed([unread])))
  }

  @Test func `a version above a bridge that the store never had asks once, and older readers do not stop it`()
    throws
  {
    let third = RolloutPlan(
      version: SchemaVersion(3, 0, 0), stability: .released, bridges: [second.version], needsLowering: false)
    let first = try RolloutDecision(third, [:]).append { () throws(Never) in [] }.get()
    #expect(first == .init(form: .newest, changes: [second.version: .active]))
    var rows = [third.version: SchemaRow(version: third.version)]
    rows[second.version] = SchemaRow(version: second.version, stability: .bridge)
    rows[second.version]?.phase = .active
    let later = RolloutDecision(third, rows).append { () throws(Never) -> [LiveProgram] in
      Issue.record("it was looked at the programs")
      return []
    }
    #expect(later == .success(.init(form: .newest)))
  }

  @Test func `programs are not looked at once a version is active`() {
    var row = SchemaRow(version: second.version, stability: .bridge)
    row.phase = .active
    let answer = RolloutDecision(second, [second.version: row]).append { () throws(Never) -> [LiveProgram] in
      Issue.record("it was looked at the programs")
      return []
    }
    #expect(answer == .success(.init(form: .newest)))
  }

  @Test func `a cluster refuses as one machine does, and lowers bridges until they are active`()
    throws
  {
    let third = SchemaVersion(3, 0, 0)
    let plans = [
      second, RolloutPlan(version: second.version, stability: .bridge, needsLowering: false),
      RolloutPlan(version: third, stability: .released, bridges: [second.version], needsLowering: false),
      RolloutPlan(version: third, stability: .bridge, bridges: [second.version], needsLowering: true),
      RolloutPlan(version: third, stability: .released, needsLowering: false),
    ]
    // No phase of a cluster expands: only the log changes phases.
    let phases: [SchemaRow.Phase?] = [nil, .present, .active, .contracted]
    let all = Self.programs.map {
      LiveProgram(version: SchemaVersion(UInt32($0.version), 0, 0), skipsNewerTypes: $0.skips)
    }
    var (refusals, activations) = (0, 0)
    for plan in plans {
      for (two, three) in phases.flatMap({ two in phases.map { (two, $0) } }) {
        var rows: [SchemaVersion: SchemaRow] = [:]
        for (version, phase) in [(second.version, two), (third, three)] {
          guard let phase else { continue }
          rows[version] = SchemaRow(version: version, stability: version == third ? .released : .bridge)
          rows[version]?.phase = phase
        }
        let decision = RolloutDecision(plan, rows)
        for set in 0..<(1 << all.count) {
          let programs = all.indices.filter { set >> $0 & 1 == 1 }.map { all[$0] }
          for hasLater in [false, true] {
            let local = decision.append(hasLater: hasLater) { () throws(Never) in programs }
            let shared = decision.sharedAppend(hasLater: hasLater) { () throws(Never) in programs }
            switch (local, shared) {
            case (.failure(let one), .failure(let other)):
              #expect(one == other)
              refusals += 1
            case (.success(let verdict), .success(let bridges)):
              #expect(Set(bridges) == Set(verdict.changes.keys.filter { $0 < plan.version }))
              if plan.needsLowering, verdict.form == .shared { #expect(decision.sharedForm == .shared) }
              activations += bridges.count
            default: Issue.record("\(plan.version) with \(rows) and \(programs): \(local) and \(shared)")
            }
          }
        }
        #expect((decision.sharedContraction == nil) == !decision.isActive)
      }
    }
    #expect(refusals > 100 && activations > 10)
  }
}
