import Annals
import Foundation

/// The history of a git repository as events, read through three schema versions: an example of the library.
public enum Program {
  /// Runs the program with the process's arguments and ends the process.
  @MainActor
  public static func main() async {
    do { try ProgramStart.reserveDescriptors() } catch {
      // Without them a file of the store could get the number of the output.
      exit(Failure(error).status.rawValue)
    }
    exit(await runProcess())
  }

  /// Runs the program with the process's arguments and returns the exit status.
  private static func runProcess() async -> Int32 {
    var output = StandardOutput()
    var errors = StandardError()
    var status = await run(CommandWord.ofProcess, to: &output, errors: &errors)
    if status == 0, let failure = output.failure {
      errors.line("githistory: writing the output failed: \(failure.localizedDescription)")
      status = Failure.Status.inputOutput.rawValue
    }
    return status
  }

  /// Runs the command line and returns the exit status.
  static func run(
    _ arguments: [CommandWord], to output: inout some TextOutputStream, errors: inout some TextOutputStream
  ) async -> Int32 {
    do {
      let arguments = try Arguments(arguments)
      if arguments.isHelp {
        output.line(Arguments.help)
      } else {
        try await run(arguments, to: &output)
      }
      return 0
    } catch let failure as Failure {
      errors.line("githistory: \(failure.message)")
      if failure.status == .usage { errors.line("Try 'githistory --help'.") }
      return failure.status.rawValue
    } catch let error as AnnalsError {
      let failure = Failure(error)
      errors.line("githistory: \(failure.message)")
      return failure.status.rawValue
    } catch {
      errors.line("githistory: \(error)")
      return Failure.Status.inputOutput.rawValue
    }
  }

  private static func run(_ arguments: Arguments, to output: inout some TextOutputStream) async throws {
    let git = try Git(repository: arguments.repository)
    guard let head = try git.head() else {
      output.line("This repository has no commits yet, so there is nothing to store. Make one and come back.")
      return
    }
    let path = try storePath(arguments)
    let branch = try git.branch().map { "branch \($0.printable)" } ?? "commit \(head.prefix(12))"

    try await append(git, head, branch, to: path, &output)
    try await read(path, &output)

    output.line()
    output.line("The store    \(path.description.printable)")
    output.line()
    output.line("Try next:")
    let word = path.shellWord
    output.line("  swift run -c release annals info \(word)")
    output.line("  swift run -c release annals read \(word) --limit 3")
    output.line("  swift run -c release annals views \(word)")
    output.line("  swift run -c release annals verify \(word)")
    output.line("  swift run githistory \(arguments.repository.shellWord) --store \(word)")
  }

  private static func storePath(_ arguments: Arguments) throws -> CommandWord {
    if let store = arguments.store { return store }
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "githistory-\(UUID().uuidString.prefix(8).lowercased())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return CommandWord(folder.appending(path: "history.annals").path)
  }

  /// The first release, which knows only version 1.
  private static func append(
    _ git: Git, _ head: String, _ branch: String, to path: CommandWord, _ output: inout some TextOutputStream
  ) async throws {
    let store = try EventStore(at: path.url(), plan: FirstHistoryPlan.self)
    var history = try HistoryImport(store)
    if history.isContinued, try !git.roots().contains(where: history.holds) {
      throw Failure(
        .badData,
        "the store at '\(path.description.printable)' holds the history of another repository; give --store another path"
      )
    }
    if history.holds(head) {
      output.line("1. Read      nothing: the store holds every commit of \(branch) already")
      output.line("2. Appended  nothing")
      return
    }
    let start = ContinuousClock.now
    var progress = ProgressLine()
    var read = 0
    try await git.log { commit in
      read += 1
      progress.show("\(read.grouped) commits")
      try await history.add(commit)
    }
    try await history.finish(head: head)
    progress.clear()
    let seconds = start.duration(to: .now) / .seconds(1)
    output.line("1. Read      git log of \(branch): \(read.counted("commit"))")
    output.line(
      "2. Appended  \(history.appended.counted("new commit")) as events of version 1.0.0, in \(seconds.formatted(.number.precision(.fractionLength(1)).locale(Locale(identifier: "en_US_POSIX")))) s"
    )
  }

  /// The current release, which reads the events that the first one wrote.
  private static func read(_ path: CommandWord, _ output: inout some TextOutputStream) async throws {
    let store = try EventStore(at: path.url(), plan: HistoryPlan.self)
    let (stored, report) = try store.read { (snapshot) throws(AnnalsError) in
      var report = HistoryReport()
      var progress = ProgressLine()
      var entries = try snapshot.entries()
      while let entry = try entries.next() {
        report.add(entry.event)
        progress.show("\(report.events.grouped) events")
      }
      progress.clear()
      return (try snapshot.head()?.rawValue ?? 0, report)
    }
    output.line("3. Reopened  the same store with a plan of three versions; nothing in it was rewritten")
    output.line("             1.0.0 -> 2.0.0 splits a commit into itself and a change for each file")
    output.line("             2.0.0 -> 3.0.0 makes author and time values of their own")
    output.line(
      "             \(stored.counted("stored event")) read as \(report.events.counted("event")) of version 3.0.0"
    )
    let views = try await HistoryViews(store, upTo: Position(stored))
    output.line("4. Folded    authors and files into tables next to the log, which follow it")
    if views.isRaised {
      output.line(
        "             authors were in version 1, which was read until version 2 was built:")
      output.line("             that one also knows when each of them wrote last")
    }
    output.line()
    report.print(to: &output)
    try views.print(to: &output)
  }
}

extension BinaryInteger {
  /// Returns the number with a noun, in the plural unless it is one.
  fileprivate func counted(_ what: String) -> String {
    "\(grouped) \(what)\(self == 1 ? "" : "s")"
  }
}
