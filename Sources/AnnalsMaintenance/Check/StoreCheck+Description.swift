internal import AnnalsStore
internal import AnnalsCoding
internal import AnnalsSchema

extension StoreCheck: CustomStringConvertible {
  /// The report that people read.
  public var description: String {
    var lines = [
      "\(plan), versions \(oldest) to \(current): \(opens ? "opens the store" : "does not open the store")"
    ]
    if let refusal { lines.append("  error: \(refusal)") }
    for kind in kinds {
      var line = "  \(kind.type) \(kind.version?.description ?? "without a version"): \(kind.count) events"
      if kind.stubs > 0 { line += ", \(kind.stubs) stubs" }
      if kind.quarantined > 0 { line += ", \(kind.quarantined) set aside" }
      line += ", the first at position \(kind.first)"
      if !kind.stages.isEmpty {
        line += ", through \(kind.stages.map(\.description).joined(separator: ", "))"
      }
      if let version = kind.retainedBy { line += ", retained as raw by the stage to \(version)" }
      if kind.isByName { line += ", stored by name" }
      if kind.isNewer { line += ", newer than the plan and readable" }
      lines.append(line)
      if let problem = kind.problem { lines.append("    error: \(problem)") }
    }
    for stage in stages {
      var line = "stage \(stage.from) -> \(stage.to): \(stage.events) events pass it"
      if stage.scope != .record { line += ", scope \(stage.scope.rawValue)" }
      if stage.isBridge { line += ", to a bridge, which is \(stage.phase.rawValue)" }
      if stage.retagged > 0 {
        line += "; a pass computes the tags of \(stage.retagged) again"
      }
      if stage.isDue { line += "; it has to be activated first: run 'activate'" }
      if stage.needsPass { line += "; it moves streams, so that 'migrate' has to be run first" }
      lines.append(line)
    }
    if unadopted > 0 {
      lines.append(
        "\(unadopted) events without a version: run 'activate' to take them for ones of the version that the plan says"
      )
    }
    lines += undeclaredLines
    lines.append(oldestLine)
    return lines.joined(separator: "\n")
  }

  /// What of the store the plan does not declare, as far as that is known.
  private var undeclaredLines: [String] {
    if let undeclared {
      return undeclared.map { "undeclared \($0): an adoption or a pass loses it, and must be given its name" }
    }
    let count = kinds.filter(\.isByName).reduce(UInt64(0)) { $0 &+ $1.count &+ $1.quarantined }
    if count == 0 { return [] }
    return [
      "\(count) events are stored by name, and may have fields that the plan does not declare, which an adoption or a pass would lose: 'check --store STORE --scan' lists them"
    ]
  }

  /// What the plan's oldest version means for this store.
  private var oldestLine: String {
    guard let raisable else { return "oldest \(oldest): the plan cannot begin later for this store" }
    if raisable == oldest { return "oldest \(oldest): events of this store need it" }
    return
      "oldest \(oldest): this store has no events below \(raisable), so that the plan may begin there once no other store and no backup needs less; one that has older events is then refused as too old"
  }
}
