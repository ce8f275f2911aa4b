import Annals

/// The report of a failure, for people and for programs.
package struct FailureReport {
  /// The line for people, followed by advice.
  package let text: [UInt8]
  /// The line for programs.
  package let json: [UInt8]
  /// The exit status.
  package let status: Int32

  /// Creates a report of `error`; `nil` if it cannot be reported because the output was closed.
  package init?(_ error: any Error, command: String) {
    switch error {
    case OutputError.closed:
      return nil
    case OutputError.failed(let failure):
      self.init(of: AnnalsError(failure, doing: "writing the output"), command: command)
    case let error as CommandLineError:
      self.init(of: AnnalsError(.wrongUse, error.failure.message), command: command, help: error.help)
    case let error as AnnalsError:
      self.init(of: error, command: command)
    default:
      self.init(of: AnnalsError(.inputOutput, "\(error)"), command: command)
    }
  }

  private init(of error: AnnalsError, command: String, help: String? = nil) {
    status = ExitStatus.of(error)
    let hint = help.map { "\($0)\n" } ?? ""
    text = Array("\(command): ".utf8) + PlainText.lines("\(error.code): \(error.message)") + Array(hint.utf8)
    json = Self.json(error, status)
  }

  private static func json(_ error: AnnalsError, _ status: Int32) -> [UInt8] {
    var line = ReportLine()
    line.add("error", "\(error.code)")
    line.add("message", error.message)
    line.add("exit", UInt64(status))
    let details = error.details
    if let stream = details.stream { line.add("stream", stream.text) }
    if !details.movedTo.isEmpty { line.add("movedTo", details.movedTo.map(\.text)) }
    if let position = details.position { line.add("position", position.rawValue) }
    if let revision = details.revision { line.add("revision", revision.rawValue) }
    if let type = details.type { line.add("type", type) }
    if let version = details.version { line.add("version", version) }
    for (key, number) in [
      ("line", details.line), ("column", details.column), ("linesStored", details.linesStored),
      ("offset", details.offset),
    ] {
      if let number { line.add(key, UInt64(clamping: number)) }
    }
    if !details.fields.isEmpty { line.add("fields", details.fields.map(\.line)) }
    if let table = details.table { line.add("table", table) }
    if let file = details.file { line.add("file", file) }
    if let id = details.id { line.add("id", id) }
    return line.bytes
  }
}

extension AnnalsError {
  /// Creates the error for a failed system call.
  ///
  /// - Parameter doing: The failed action, in words.
  init(_ failure: SystemError, doing: String) {
    let code: Code = failure.isFull ? .diskFull : failure.isPermission ? .permission : .inputOutput
    self.init(code, "\(doing) failed: \(failure)", underlying: failure)
  }
}
