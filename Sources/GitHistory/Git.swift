import Annals
import Foundation

/// The `git` of this machine, which reads one repository in child processes.
struct Git {
  private let executable: URL
  private let repository: CommandWord
  /// Kept open for git, which accepts no path that is not UTF-8.
  private let folder: OpenFolder?

  /// Finds `git` for the repository at or around the folder `repository`.
  ///
  /// - Parameter searchPath: Folders separated by colons, like the environment's `PATH`.
  /// - Throws: ``Failure`` with status `unavailable` if no folder contains it.
  init(repository: CommandWord, searchPath: String = ProcessInfo.processInfo.environment["PATH"] ?? "")
    throws(Failure)
  {
    let candidates = searchPath.split(separator: ":").map { "\($0)/git" }
    guard let found = candidates.first(where: FileManager.default.isExecutableFile) else {
      throw Failure(.unavailable, "git is not installed, or not in the search path PATH")
    }
    executable = URL(filePath: found)
    self.repository = repository
    do throws(AnnalsError) { folder = repository.text == nil ? try OpenFolder(repository) : nil } catch {
      throw Failure(.noInput, "'\(repository)' cannot be opened", underlying: error)
    }
  }

  /// Returns the commit that is checked out; `nil` in a repository without commits.
  ///
  /// - Throws: ``Failure`` with status `noInput` if there is no repository that git can read.
  func head() throws(Failure) -> String? {
    let folder = try ask(["rev-parse", "--git-dir"])
    guard folder.status == 0 else {
      throw Failure(
        .noInput,
        "'\(repository.description.printable)' is no git repository that can be read: \(folder.complaint)")
    }
    let head = try ask(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])
    return head.status == 0 ? head.text : nil
  }

  /// Returns the name of the branch that is checked out; `nil` with a detached head.
  func branch() throws(Failure) -> String? {
    let branch = try ask(["symbolic-ref", "--quiet", "--short", "HEAD"])
    return branch.status == 0 ? branch.text : nil
  }

  /// Returns the commits without parents that are ancestors of the one checked out.
  func roots() throws(Failure) -> [String] {
    let roots = try ask(["rev-list", "--max-parents=0", "HEAD", "--"])
    guard roots.status == 0 else { throw Failure(.inputOutput, "git rev-list failed: \(roots.complaint)") }
    return roots.text.split(separator: "\n").map(String.init)
  }

  /// Calls `body` with each commit in the history of the one checked out, oldest first.
  ///
  /// - Throws: ``Failure`` if git fails, and the errors of `body`; git is then stopped.
  func log(_ body: (Commit) async throws -> Void) async throws {
    let process = try start(GitLogReader.arguments)
    do {
      var reader = GitLogReader()
      while let chunk = try process.output.read(upToCount: 1 << 16), !chunk.isEmpty {
        reader.feed(chunk)
        while let commit = try reader.next() { try await body(commit) }
      }
      try process.mustSucceed()
      if let last = try reader.finish() { try await body(last) }
    } catch let failure as GitLogFailure {
      process.stop()
      throw Failure(.inputOutput, "git log printed what this example cannot read", underlying: failure)
    } catch {
      process.stop()
      throw error
    }
  }

  /// The answer of git to a short command.
  private struct Answer {
    var status: Int32
    var text: String
    var complaint: String
  }

  private func ask(_ arguments: [String]) throws(Failure) -> Answer {
    do {
      let process = try start(arguments)
      let output = try process.output.readToEnd() ?? Data()
      let status = process.wait()
      return Answer(
        status: status, text: String(decoding: output, as: UTF8.self).trimmingCharacters(in: .newlines),
        complaint: try process.complaint())
    } catch {
      throw Failure(.inputOutput, "git cannot be run", underlying: error)
    }
  }

  private func start(_ arguments: [String]) throws -> GitProcess {
    try GitProcess(executable, ["-C", folder?.path ?? repository.description, "--no-pager"] + arguments)
  }
}
