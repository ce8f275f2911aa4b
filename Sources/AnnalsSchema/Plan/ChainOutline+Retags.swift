internal import AnnalsCoding

extension ChainOutline {
  /// Returns problems of a stage's rules that compute tags again.
  func retagProblems(at index: Int) -> [PlanProblem] {
    let (from, to) = (schemas[index], schemas[index + 1])
    let place = (PlanProblem.Schema(from), PlanProblem.Schema(to))
    var problems: [PlanProblem] = []
    var counts: [Int: Int] = [:]
    for rule in stages[index].retags {
      guard to.records.indices.contains(rule.caseIndex) else {
        problems.append(.noRecord(.init(to), from: place.0, to: place.1))
        continue
      }
      let record = PlanProblem.Record(to.records[rule.caseIndex])
      counts[rule.caseIndex, default: 0] += 1
      if counts[rule.caseIndex] == 2 { problems.append(.twoRetags(record, from: place.0, to: place.1)) }
      if rule.names.isEmpty { problems.append(.untagged(record, from: place.0, to: place.1)) }
      for name in rule.names {
        let fault =
          name.text.utf8.contains(UInt8(ascii: ":")) ? "it has a colon" : NameRule.fault(of: name.text)
        if let fault { problems.append(.tagName(record, from: place.0, to: place.1, fault: fault)) }
      }
      if !crossings[index].contains(where: { $0.leads(to: rule.caseIndex) }) {
        problems.append(.idleRetag(record, from: place.0, to: place.1))
      }
    }
    return problems
  }
}

extension RecordCrossing {
  /// Returns whether a record may become the newer record numbered `number`.
  fileprivate func leads(to number: Int) -> Bool {
    switch self {
    case .rule(let effect): effect.allows(number)
    case .carried(let next), .converted(let next, _), .redeclared(let next): next == number
    case .forgotten: false
    }
  }
}
