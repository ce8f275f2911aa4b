import Annals
import FaultPrograms
import Foundation

/// A process that examines stores. It is started again after each store that ends it.
final class Inspector {
  private let arguments: [String]
  /// The run of the system that the process believes in, in a file; `nil` for the real one.
  private let boot: (name: String, scratch: TemporaryDirectory)?
  /// The number of stores in which something was resumed: an unfinished pass, or rows of a view.
  private(set) var resumed = 0
  /// The number of stores with a view that had read entries the log does not hold.
  private(set) var ahead = 0
  private var process: Process?
  private var questions = Pipe()
  private var answers = Pipe()

  /// An inspector of stores of the workload with this seed and number of calls.
  convenience init(seed: UInt64, calls: Int) throws {
    try self.init(Workload(seed: seed, calls: 0..<calls))
  }

  /// An inspector of stores of a workload.
  ///
  /// - Parameter boot: The run of the system that it believes in; `nil` for the real one.
  init(_ workload: Workload, resumption: Examination.Resumption = .none, boot: String? = nil) throws {
    let (seed, calls) = ("\(workload.seed)", "\(workload.calls.upperBound)")
    if workload.lives != .none {
      arguments = ["examine-lives", seed, calls, "\(workload.lives.rawValue)"]
    } else if workload.views != .none {
      arguments = ["examine-views", seed, calls, workload.durability == .relaxed ? "1" : "0"]
    } else {
      arguments = ["examine", seed, calls, "\(resumption.rawValue)", workload.isTagged ? "1" : "0"]
    }
    self.boot = try boot.map { ($0, try TemporaryDirectory(in: TemporaryDirectory.memory)) }
    // A question to a process that has ended is an error, not the end of this one.
    signal(SIGPIPE, SIG_IGN)
  }

  deinit { stop() }

  /// Examines the store in `directory`, which changes it.
  ///
  /// - Returns: The violation; `nil` if there is none.
  func finding(in directory: URL, _ knowledge: Examination.Knowledge) throws -> String? {
    let process = try process ?? start()
    let question =
      "\(directory.path) \(knowledge.must.text) \(knowledge.may.text) \(knowledge.isHistory ? 1 : 0) \(knowledge.version)\n"
    do { try questions.fileHandleForWriting.write(contentsOf: Data(question.utf8)) } catch {
      return end(of: process)
    }
    var answer = Data()
    while answer.last != UInt8(ascii: "\n") {
      let more = answers.fileHandleForReading.availableData
      if more.isEmpty { return end(of: process) }
      answer += more
    }
    let text = String(decoding: answer.dropLast(), as: UTF8.self)
    guard text.hasPrefix("ok ") else { return text }
    let words = text.split(separator: " ")
    if words.dropFirst(2).first != "0" { resumed += 1 }
    if words.dropFirst(3).first != "0" { ahead += 1 }
    return nil
  }

  private func end(of process: Process) -> String {
    process.waitUntilExit()
    self.process = nil
    return "the process that looked ended: \(SubjectProcess.end(of: process))"
  }

  /// Ends the process as a damaged store might.
  func kill() {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
  }

  private func start() throws -> Process {
    let process = try SubjectProcess.prepared(
      arguments, under: boot == nil ? [] : [Shim.boot],
      boot.map { try Shim.environment(ofBoot: $0.name, in: $0.scratch) } ?? [:])
    questions = Pipe()
    answers = Pipe()
    process.standardInput = questions
    process.standardOutput = answers
    try process.run()
    // With this end open too, the end of the process would go unnoticed.
    try answers.fileHandleForWriting.close()
    try questions.fileHandleForReading.close()
    self.process = process
    return process
  }

  private func stop() {
    guard let process else { return }
    // The process ends with its input, even if this close fails.
    try? questions.fileHandleForWriting.close()
    process.waitUntilExit()
  }
}
