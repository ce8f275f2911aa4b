import Annals
import AnnalsCommand
import AnnalsKeys

/// `rotate`: gives a person a new key.
struct RotateVerb: Verb {
  static let name = "rotate"
  static let summary = "Gives a person a new key for the events that are appended from now on."
  static let synopsis = "<store> <subject> [--json]"
  static let help = """

    Older events keep the older keys. 'migrate --renew-keys' of the command of the store's plan encrypts them
    with the newest ones, and 'prune' removes the older keys then. If the id has no key, none is made, and the
    result says so.

    """
  static let grammar = Arguments.Grammar(operands: ["<store>", "<subject>"])

  private let store: StorePath
  private let subject: String
  private let isJSON: Bool

  init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    subject = try arguments.text(operand: 1)
    isJSON = arguments.has("--json")
  }

  func run(to output: inout some ByteOutput, _ progress: inout ProgressLine) async throws -> Int32 {
    let keys = SubjectKeys()
    var options = StoreOptions(creation: .never)
    options.keys = keys
    let log = try EventLog(at: store.url, options: options)
    try log.attachKeys(for: "the verb '\(Self.name)'")
    let isRotated = try keys.rotate(subject)
    if isJSON {
      var line = ReportLine()
      line.add("rotated", isRotated)
      try output.write(line.bytes)
    } else {
      try output.writeLine(
        isRotated
          ? "the person has a new key for new events"
          : "no stored event of this id has a key, and none was made: the id may be written in another way in the events (a UUID in small letters)"
      )
    }
    return ExitStatus.success
  }
}
