import Annals

/// `erase` in the command of a plan, which also folds inline projections again.
struct PlanEraseVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { EraseVerb.name }
  static var summary: String { EraseVerb.summary }
  static var synopsis: String { EraseVerb.synopsis }
  static var help: String { EraseVerb.help }
  static var grammar: Arguments.Grammar { EraseVerb.grammar }

  let store: StorePath
  let isJSON: Bool
  private let request: ErasureRequest
  private let inline: [any InlineProjection<Plan.Current.Event>.Type]
  /// What `--where` calls; `nil` without it.
  private let chosen: ErasureSelection<Plan.Current.Event>?

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    request = try ErasureRequest(arguments)
    inline = (arguments.inline as? KnownInline<Plan>)?.types ?? []
    isJSON = arguments.has("--json")
    guard case .chosen(let name, _) = request.selection else {
      chosen = nil
      return
    }
    let known = arguments.selections as? PlanSelections<Plan.Current.Event>
    chosen = known?.named(name)
    if chosen == nil {
      let names = known?.selections.map(\.name).joined(separator: ", ") ?? ""
      throw UsageError(
        names.isEmpty
          ? "--where: this command declares no selections"
          : "--where: there is no selection '\(name)'; this command has \(names)")
    }
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let store = try EventStore(
      at: store.url, plan: Plan.self, options: StoreOptions(creation: .never), inline: inline)
    try request.mustMeanEvents(of: store.log)
    let report =
      switch request.selection {
      case .stream(let name): try store.erase(stream: name, by: request.author, because: request.reason)
      case .positions(let positions):
        try store.erase(positions, by: request.author, because: request.reason)
      case .matching(let query):
        try store.erase(stored: query, by: request.author, because: request.reason)
      case .chosen(_, let value):
        try store.erase(by: request.author, because: request.reason) { chosen?.includes($0, value) == true }
      }
    try report.write(to: &output, isJSON: isJSON)
    return ExitStatus.success
  }
}
