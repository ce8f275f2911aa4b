import Annals
import AnnalsCommand
import AnnalsKeys

/// `forget`: drops the keys of a person, in a store without inline projections.
struct ForgetSubjectVerb: Verb {
  static let name = "forget"
  static let summary = ForgetRequest.summary
  static let synopsis = ForgetRequest.synopsis
  static let help = """
    \(ForgetRequest.help)

    A store with inline projections needs the command of its plan, which has this verb too.

    """
  static let grammar = ForgetRequest.grammar

  private let request: ForgetRequest

  init(_ arguments: Arguments) throws(UsageError) {
    request = try ForgetRequest(arguments)
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    var options = StoreOptions(creation: .never)
    options.keys = SubjectKeys()
    let log = try EventLog(at: request.store.url, options: options)
    let report = try log.forget(request.subject, by: request.author, because: request.reason)
    try request.write(report, to: &output)
    return ExitStatus.success
  }
}
