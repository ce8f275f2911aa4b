import Annals

/// `forget`: drops the keys of a person, in the command of a plan.
///
/// It folds inline projections again, which `annals-keys` cannot.
struct ForgetVerb<Plan: SchemaMigrationPlan>: Verb {
  static var name: String { "forget" }
  static var summary: String { ForgetRequest.summary }
  static var synopsis: String { ForgetRequest.synopsis }
  static var help: String { ForgetRequest.help }
  static var grammar: Arguments.Grammar { ForgetRequest.grammar }

  private let request: ForgetRequest
  private let inline: [any InlineProjection<Plan.Current.Event>.Type]

  init(_ arguments: Arguments) throws(UsageError) {
    request = try ForgetRequest(arguments)
    inline = (arguments.inline as? KnownInline<Plan>)?.types ?? []
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let store = try EventStore(
      at: request.store.url, plan: Plan.self, options: StoreOptions(creation: .never), inline: inline)
    let report = try store.forget(request.subject, by: request.author, because: request.reason)
    try request.write(report, to: &output)
    return ExitStatus.success
  }
}
