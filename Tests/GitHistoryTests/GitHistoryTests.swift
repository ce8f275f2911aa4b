import Annals
import Foundation
import Testing

import AnnalsTestSupport
@testable import GitHistory

/// The whole example on small repositories that git makes.
@Suite(.enabled(if: TemporaryRepository.git != nil, "git is not installed"))
struct GitHistoryTests {
  /// The output of the example, and how it ended.
  private struct Outcome {
    var status: Int32
    var output = ""
    var errors = ""
  }

  private func run(_ arguments: String...) async -> Outcome {
    var outcome = Outcome(status: -1)
    outcome.status = await Program.run(
      arguments.map { CommandWord($0) }, to: &outcome.output, errors: &outcome.errors)
    return outcome
  }

  /// A history with a rename, a merge, an empty commit, bytes of every kind, and dates that confuse git
  /// itself.
  private func awkward() throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    let text = String(repeating: "a line\n", count: 20)
    try repository.add([
      .init([ImportedCommit.file("a.txt", text)]),
      .init(
        author: "Bob \u{dc}ber <bob@example.org>", message: Array("caf".utf8) + [0xe9],
        [ImportedCommit.file("\"\\377\\t.txt\"", "x"), ImportedCommit.file("\"back\\\\slash\"", "y")]),
      .init(
        branch: "side", message: [],
        [Array("from refs/heads/trunk".utf8), ImportedCommit.file("side.txt", "s")]),
      .init(message: Array("moved".utf8), [Array("R a.txt d.txt".utf8)]),
      .init(message: Array("merged".utf8), [Array("merge refs/heads/side".utf8)]),
      .init(message: Array("commit \(String(repeating: "0", count: 40))".utf8), []),
      .init(time: "253402300800 +0000", [ImportedCommit.file("d.txt", text + "more\n")]),
      .init(author: "Cy <>", time: "0 -1200", [ImportedCommit.file("d.txt", text)]),
    ])
    return repository
  }

  @Test func `the report has git's own numbers`() async throws {
    let repository = try awkward()
    let outcome = await run(repository.path, "--store", repository.beside("history.annals"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    let count = try repository.git("rev-list", "--count", "HEAD").trimmingCharacters(in: .newlines)
    #expect(count == "8")
    #expect(outcome.output.contains("Commits      \(count), "))
    let authors = try repository.git("shortlog", "-sn", "HEAD").split(separator: "\n").map {
      $0.split(separator: "\t").map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(outcome.output.contains("Authors      \(authors.count)\n"))
    for author in authors {
      try #require(author.count == 2)
      let line = "\n" + String(repeating: " ", count: 11) + "\(author[0])  \(author[1])"
      #expect(outcome.output.contains(line + "\n") || outcome.output.contains(line + ", last "))
    }
    let files = try repository.git("log", "--format=", "--name-only", "HEAD").split(separator: "\n")
    let busiest = files.count { $0 == "d.txt" }
    #expect(busiest == 3)
    #expect(outcome.output.contains("Files        \(Set(files).count)\n           \(busiest)  d.txt\n"))
  }

  @Test func `the first reading raises the version of a view, and later ones follow it`() async throws {
    let repository = try awkward()
    let store = repository.beside("history.annals")
    let first = await run(repository.path, "--store", store)
    #expect(first.output.contains("authors were in version 1, which was read until version 2 was built"))
    #expect(first.output.contains("  Cy, last 1970-01-01\n"))
    try repository.add([
      .init(
        author: "Cy <>", time: "86400 +0000",
        [
          Array("from refs/heads/trunk^0".utf8), ImportedCommit.file("late.txt", "late"),
        ])
    ])
    let again = await run(repository.path, "--store", store)
    #expect(!again.output.contains("version 1, which"))
    #expect(again.output.contains("  Cy, last 1970-01-02\n"))
    let views = try EventLog(at: URL(filePath: store)).views()
    #expect(
      views.filter { $0.state == .ready }.map { "\($0.name) \($0.version)" } == ["authors 2", "files 1"])
  }

  @Test func `bytes that are no UTF-8 are spelled out in the report`() async throws {
    let repository = try awkward()
    let outcome = await run(repository.path, "--store", repository.beside("history.annals"))
    #expect(outcome.output.contains("  \\xFF\\t.txt\n"))
    #expect(outcome.output.contains("  back\\\\slash\n"))
  }

  @Test func `a user's configuration of git changes nothing`() async throws {
    let repository = try awkward()
    let plain = await run(repository.path, "--store", repository.beside("plain.annals"))
    for (key, value) in [
      ("log.showSignature", "true"), ("log.showRoot", "false"), ("diff.renames", "false"),
      ("color.ui", "always"),
      ("diff.relative", "true"), ("format.pretty", "oneline"), ("i18n.logOutputEncoding", "latin1"),
      ("core.quotePath", "true"), ("log.diffMerges", "separate"), ("log.date", "relative"),
    ] {
      try repository.git("config", key, value)
    }
    let configured = await run(repository.path, "--store", repository.beside("configured.annals"))
    let report = { (outcome: Outcome) in
      outcome.output.split(separator: "\n").drop { !$0.hasPrefix("Commits") }.prefix {
        !$0.hasPrefix("The store")
      }
    }
    #expect(configured.status == 0)
    #expect(report(configured) == report(plain))
    #expect(!report(plain).isEmpty)
  }

  @Test func `a store that holds the history is not doubled`() async throws {
    let repository = try awkward()
    let store = repository.beside("history.annals")
    _ = await run(repository.path, "--store", store)
    let again = await run(repository.path, "--store", store)
    #expect(again.status == 0)
    #expect(again.output.contains("the store holds every commit of branch trunk already"))
    #expect(again.output.contains("Commits      8, "))
    #expect(try EventLog.inspect(URL(filePath: store)).entries == 9)
  }

  @Test func `only new commits are added to a store`() async throws {
    let repository = try awkward()
    let store = repository.beside("history.annals")
    _ = await run(repository.path, "--store", store)
    try repository.add([
      .init(branch: "late", [Array("from refs/heads/side".utf8), ImportedCommit.file("late.txt", "l")]),
      .init([
        Array("from refs/heads/trunk^0".utf8), Array("merge refs/heads/late".utf8),
        ImportedCommit.file("e.txt", "e"),
      ]),
    ])
    let again = await run(repository.path, "--store", store)
    #expect(
      again.output.contains("1. Read      git log of branch trunk: 10 commits\n2. Appended  2 new commits"))
    #expect(again.output.contains("Commits      10, "))
  }

  @Test func `the history of another repository is refused`() async throws {
    let repository = try awkward()
    let store = repository.beside("history.annals")
    _ = await run(repository.path, "--store", store)
    let other = try TemporaryRepository()
    try other.add([.init([ImportedCommit.file("other.txt", "o")])])
    let outcome = await run(other.path, "--store", store)
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("holds the history of another repository"))
    #expect(try EventLog.inspect(URL(filePath: store)).entries == 9)
  }

  @Test func `a commit may have more files than one rule may give parts`() async throws {
    let repository = try TemporaryRepository()
    try repository.add([.init((0..<10_001).map { ImportedCommit.file("f\($0)", "") })])
    let outcome = await run(repository.path, "--store", repository.beside("history.annals"))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.contains("4 stored events read as 10,003 events of version 3.0.0"))
    #expect(outcome.output.contains("Files        10,001\n"))
  }

  @Test func `without a store's path each run makes a store of its own`() async throws {
    let repository = try awkward()
    var stores: Set<Substring> = []
    for _ in 0..<2 {
      let outcome = await run(repository.path)
      #expect(outcome.status == 0)
      let line = try #require(outcome.output.split(separator: "\n").first { $0.hasPrefix("The store    ") })
      stores.insert(line.dropFirst(13))
    }
    #expect(stores.count == 2)
    for store in stores {
      let url = URL(filePath: String(store))
      #expect(try EventLog.inspect(url).entries == 9)
      try FileManager.default.removeItem(at: url.deletingLastPathComponent())
    }
  }

  @Test func `a repository without commits is no error`() async throws {
    let repository = try TemporaryRepository()
    let outcome = await run(repository.path)
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("no commits yet"))
  }

  @Test func `a folder that is no repository is status 66`() async throws {
    let folder = try TemporaryDirectory()
    for path in [folder.url.path, folder.url.appending(path: "missing").path] {
      let outcome = await run(path)
      #expect(outcome.status == 66)
      #expect(outcome.output == "")
    }
  }

  @Test func `a store that cannot be created is status 73`() async throws {
    let repository = try awkward()
    let outcome = await run(repository.path, "--store", repository.beside("missing/history.annals"))
    #expect(outcome.status == 73)
  }

  @Test func `a machine without git is status 69`() {
    let failure = #expect(throws: Failure.self) { try Git(repository: ".", searchPath: "/nowhere:") }
    #expect(failure?.status == .unavailable)
  }

  @Test func `wrong usage is status 64 and help is none`() async {
    #expect(await run("--shop").status == 64)
    let help = await run("--help")
    #expect(help.status == 0)
    #expect(help.output.hasPrefix("usage: githistory"))
  }
}
