package import Annals

/// What a command line asks to be forgotten: the words of `forget`, in the command of a plan and in
/// `annals-keys`.
package struct ForgetRequest {
  package static let summary =
    "Forgets a person: drops their keys, so that no program decrypts their personal fields again."
  package static let synopsis = "<store> <subject> --by WHO --because WHY [--json]"
  package static let help = """

    <subject> is the id of the person, as in the field that '@Field(personal:)' names: a text as it is, a
    number in decimal digits, a UUID in small letters, Data in base64. If no keys of the id are found, the
    result says so. Reads give the declared replacements from then on, in every process. Views are built
    again. The log records who asked for it, when and why, without the id; 'erasures' lists it. It cannot be
    taken back.

      --by WHO        who asks for it; recorded in the log
      --because WHY   why; recorded in the log
    """
  package static let grammar = Arguments.Grammar(
    values: ["--by", "--because"], operands: ["<store>", "<subject>"])

  package let store: StorePath
  /// The id of the person.
  package let subject: String
  package let author: String
  package let reason: String
  private let isJSON: Bool

  package init(_ arguments: Arguments) throws(UsageError) {
    store = try arguments.path(operand: 0)
    subject = try arguments.text(operand: 1)
    isJSON = arguments.has("--json")
    guard let author = try arguments.value("--by"), let reason = try arguments.value("--because"),
      !author.isEmpty, !reason.isEmpty
    else { throw UsageError("--by and --because are needed: the log records who asked, and why") }
    self.author = author
    self.reason = reason
  }

  /// Writes the result.
  package func write(_ report: ErasureReport, to output: inout some ByteOutput) throws {
    if isJSON {
      var line = ReportLine()
      line.add("forgotten", true)
      line.add("recorded", report.recorded.map { "\($0)" })
      line.add("hadKeys", report.hadKeys == true)
      try output.write(line.bytes)
    } else {
      let positions = report.recorded.map { "\($0)" }.joined(separator: ", ")
      guard report.hadKeys == true else {
        return try output.writeLine(
          "no stored event of '\(subject)' has keys, which position \(positions) records: they were dropped before, or the id is written in another way in the events (a UUID in small letters)"
        )
      }
      try output.writeLine(
        "the keys are dropped, which position \(positions) records; 'erasures' lists where results may remain"
      )
    }
  }
}
