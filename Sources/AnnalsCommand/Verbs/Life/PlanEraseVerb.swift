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

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    request = try ErasureRequest(arguments)
    inline = (arguments.inline as? KnownInline<Plan>)?.types ?? []
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let store = try EventStore(
      at: store.url, plan: Plan.self, options: StoreOptions(creation: .never), inline: inline)
    let report =
      switch request.selection {
      case .stream(let name): try store.erase(stream: name, by: request.author, because: request.reason)
      case .positions(let positions):
        try store.erase(positions, by: request.author, because: request.reason)
      }
    try report.write(to: &output, isJSON: isJSON)
    return ExitStatus.success
  }
}
