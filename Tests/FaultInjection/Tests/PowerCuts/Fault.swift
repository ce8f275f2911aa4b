import FaultPrograms
import Foundation

/// A fault that a shim causes in one request of a process to the system, and the response of the process.
struct Fault: CustomStringConvertible, Sendable {
  /// How the chosen requests fail.
  enum Kind: String, CaseIterable, Sendable {
    case inputOutput, noSpace, interrupted, short, done

    /// The word that the shim knows it by.
    var word: String {
      switch self {
      case .inputOutput: "\(EIO)"
      case .noSpace: "\(ENOSPC)"
      case .interrupted: "\(EINTR)"
      case .short, .done: rawValue
      }
    }
  }

  /// The refused request: a system call by its name, or `nil` for memory.
  var call: String?
  var kind = Kind.inputOutput
  /// The number of consecutive requests that fail; 0 for all.
  var times: Int

  var description: String {
    "\(call ?? "memory") \(call == nil ? "" : kind.rawValue) \(times == 0 ? "for ever" : "\(times) times")"
  }

  /// The result of one run.
  struct Outcome {
    /// The number of failed requests; 0 if the process made too few.
    var fired: Int
    /// The violation, if any.
    var finding: String?
    /// The codes of the errors that the process got.
    var codes: [String]
  }

  /// Makes the request `number`, counted from 1, fail. Then examines the store without any fault.
  func run(at number: Int, _ inspector: Inspector) throws -> Outcome {
    let scratch = try TemporaryDirectory(in: TemporaryDirectory.memory)
    let root = try scratch.directory("root")
    let journal = try scratch.file("journal")
    let report = try scratch.file("report")
    var environment = [
      "ANNALS_SHIM_ROOT": root.path, "ANNALS_SHIM_AT": "\(number)", "ANNALS_SHIM_TIMES": "\(times)",
      "ANNALS_SHIM_REPORT": report.path, "ANNALS_SHIM_HOW": kind.word,
    ]
    environment["ANNALS_SHIM_CALL"] = call
    let run = try SubjectProcess.run(
      ["attempt", root.path, journal.path], under: [call == nil ? Shim.memory : Shim.failures], environment)
    let marks = try String(contentsOf: report, encoding: .utf8)
    let account = Account(CallJournal.notes(in: try String(contentsOf: journal, encoding: .utf8)))
    var outcome = Outcome(fired: marks.utf8.count, codes: account.codes)
    guard run.end == .exit(0) else {
      outcome.finding = "the process ended: \(run.end) \(run.errors)"
      return outcome
    }
    let isMetaPage = marks.contains("m")
    outcome.finding =
      try account.contradiction(of: self, isMetaPage: isMetaPage, fired: outcome.fired)
      ?? inspector.finding(in: root, account.knowledge)
    return outcome
  }
}
