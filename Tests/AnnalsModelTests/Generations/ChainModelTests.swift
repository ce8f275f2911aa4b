import Testing

/// Every order in which passes, rollbacks, removals, kills, openers and writers can come, a step at a time.
@Suite struct ChainModelTests {
  /// The result of an exhaustive search.
  private struct Outcome {
    var states = 0
    var violations: Set<String> = []
  }

  /// Visits all reachable states.
  private func search(_ first: ChainModel, stopping: Bool) -> Outcome {
    var seen: Set<ChainModel> = [first]
    var open = [first]
    var outcome = Outcome()
    while let state = open.popLast() {
      outcome.states += 1
      if let violation = state.violation {
        outcome.violations.insert(violation)
        if stopping { return outcome }
      }
      for next in state.next() where seen.insert(next).inserted { open.append(next) }
    }
    return outcome
  }

  @Test(
    arguments: [
      (appends: 2, kills: 1, passes: 2, rollbacks: 1, discards: 0),
      (appends: 1, kills: 2, passes: 2, rollbacks: 1, discards: 1),
      (appends: 1, kills: 1, passes: 2, rollbacks: 2, discards: 1),
    ])
  func `one generation takes appends, and it has every answered one, after kills at any moment`(
    appends: Int, kills: Int, passes: Int, rollbacks: Int, discards: Int
  ) {
    let outcome = search(
      ChainModel(
        .right, appends: appends, kills: kills, passes: passes, rollbacks: rollbacks, discards: discards),
      stopping: false)
    print("generations: \(outcome.states) states")
    #expect(outcome.violations == [])
    #expect(outcome.states > 10_000)
  }

  @Test(arguments: ChainModel.Order.allCases.filter { $0 != .right })
  func `a wrong order is found`(order: ChainModel.Order) {
    let outcome = search(
      ChainModel(order, appends: 2, kills: 1, passes: 1, rollbacks: 1, discards: 0), stopping: true)
    #expect(!outcome.violations.isEmpty)
  }
}
