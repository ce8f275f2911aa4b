import Annals

/// `census` with a plan: also counts the events whose tags a migration pass would compute again.
struct PlanCensusVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { CensusVerb.name }
  static var summary: String { CensusVerb.summary }
  static var synopsis: String { CensusVerb.synopsis }
  static var help: String {
    """
    \(CensusVerb.help)

    Each stage of the plan that computes tags again, with events that it concerns, has a line after that:
    'retag', the older and the newer version, the number of events, and the records with their tags.
    """
  }
  static var grammar: Arguments.Grammar { CensusVerb.grammar }

  private let census: CensusVerb

  init(_ arguments: Arguments) throws(UsageError) { census = try CensusVerb(arguments) }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let status = try await census.run(to: &output, &progress)
    // The counts need no plan, so that one with a fault does not keep them back; `check` reports it.
    guard let store = try? Plan.check(store: census.store.url) else { return status }
    let stages = PlanCheck(of: Plan.self).stages
    for stage in store.stages where stage.retagged > 0 {
      let retags = stages.first { $0.to == stage.to }?.retags ?? []
      if census.isJSON {
        var line = ReportLine()
        line.add("from", stage.from)
        line.add("to", stage.to)
        line.add("retagged", stage.retagged)
        line.add(
          "records",
          retags.map { retag in
            var line = ReportLine()
            line.add("type", retag.name)
            line.add("tags", retag.tags)
            return line
          })
        try output.write(line.bytes)
      } else {
        let records = retags.map { "\(PlainText.escaped($0.name)): \($0.tags.joined(separator: ", "))" }
        try output.writeLine(
          "retag\t\(stage.from)\t\(stage.to)\t\(stage.retagged)\t\(records.joined(separator: "; "))")
      }
    }
    return status
  }
}
