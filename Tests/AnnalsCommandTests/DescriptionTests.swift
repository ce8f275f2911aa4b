import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCommand

/// Completions and man pages, which follow from the verbs.
@Suite struct DescriptionTests {
  private static let plan = Command(name: "parks", verbs: MaintenanceCommand<ParkPlan>.verbs)

  @Test func `a help is separated into paragraphs, options and their explanations`() {
    let parsed = VerbDescription.parsed(
      """

      One sentence that
      goes on.

      Another.

        --flag             does this
        --file FILE        reads FILE,
                           line by line
        --long-name VALUE,…
                           explained below
        POSITION           an operand
      """)
    #expect(parsed.paragraphs == ["One sentence that goes on.", "Another."])
    #expect(
      parsed.options == [
        .init(name: "--flag", value: nil, text: "does this"),
        .init(name: "--file", value: "FILE", text: "reads FILE, line by line"),
        .init(name: "--long-name", value: "VALUE,…", text: "explained below"),
        .init(name: "POSITION", value: nil, text: "an operand"),
      ])
  }

  @Test func `the help of every verb explains every option of its grammar`() {
    for verb in MaintenanceCommand<ParkPlan>.verbs {
      let described = VerbDescription(verb)
      for option in described.options {
        #expect(!option.text.isEmpty, "\(verb.name) \(option.name)")
        #expect(
          option.value != "VALUE", "\(verb.name) \(option.name) takes a value that its help does not show")
      }
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `completions name every verb and option, and the shell accepts them`(shell: String) async throws {
    let folder = try TemporaryDirectory()
    let run = await CommandRun(["completions", shell], Self.plan)
    #expect(run.status == 0 && run.errors == "")
    for verb in Self.plan.verbs {
      #expect(run.output.contains(verb.name))
      for option in VerbDescription(verb).options {
        #expect(run.output.contains(option.name.drop { $0 == "-" }), "\(verb.name) \(option.name)")
      }
    }
    let script = try folder.write("completions", run.output)
    // A shell that is not installed here is checked where the archive is tried.
    guard let check = Self.run(["/usr/bin/env", shell, "-n", script]) else { return }
    #expect(check == 0 || check == 127, "\(shell)")
  }

  @Test func `bash completes verbs, options of the verb, and leaves files to itself`() async throws {
    let folder = try TemporaryDirectory()
    let script = try folder.write("completions", await CommandRun(["completions", "bash"], Self.plan).output)
    func completed(_ words: String...) throws -> [String] {
      let line = words.map { "'\($0)'" }.joined(separator: " ")
      let program = """
        source '\(script)'; COMP_WORDS=(parks \(line)); COMP_CWORD=\(words.count); _parks
        printf '%s\\n' "${COMPREPLY[@]}" > '\(folder.path("out"))'
        """
      #expect(Self.run(["/usr/bin/env", "bash", "-c", program]) == 0)
      let output = try String(contentsOfFile: folder.path("out"), encoding: .utf8)
      return output.split(separator: "\n").map(String.init)
    }
    #expect(try completed("mig") == ["migrate"])
    #expect(
      try completed("re").sorted() == ["read", "rebuild", "reopen", "repair", "report", "restore", "retain"])
    #expect(try completed("read", "--f") == ["--follow", "--from"])
    #expect(try completed("top", "store", "--o") == ["--once"])
    #expect(try completed("read", "st") == [])
  }

  @Test func `there is a man page of the command and of each verb, with its options`() async {
    let page = await CommandRun(["manual"], Self.plan)
    #expect(page.status == 0)
    #expect(page.output.hasPrefix(".TH \"PARKS\" 1\n"))
    for verb in Self.plan.verbs {
      #expect(page.output.contains("\n.B \(verb.name.replacing("-", with: "\\-"))\n"))
      let own = await CommandRun(["manual", verb.name], Self.plan)
      #expect(own.status == 0)
      for option in VerbDescription(verb).options where option.name != "--help" {
        let name = option.name.replacing("-", with: "\\-")
        let isThere = own.output.contains("\n.B \(name)\n") || own.output.contains("\n.BI \"\(name) \"")
        #expect(isThere, "\(verb.name) \(option.name)")
      }
      // No line is a request by accident.
      let requests: Set<Substring> = ["TH", "SH", "B", "BI", "BR", "I", "RI", "TP", "PP"]
      for line in own.output.split(separator: "\n") where line.hasPrefix(".") {
        #expect(requests.contains(line.dropFirst().prefix { $0 != " " }), "\(verb.name): \(line)")
      }
    }
  }

  @Test(arguments: [
    (["completions"], "completions needs the name of a shell: bash, zsh, fish"),
    (["completions", "cmd"], "completions needs the name of a shell: bash, zsh, fish"),
    (["manual", "what"], "manual needs the name of a verb, or none: not 'what'"),
  ])
  func `an unknown shell or verb is wrong usage`(words: [String], problem: String) async {
    let run = await CommandRun(words, Self.plan)
    #expect(run.status == 64)
    #expect(run.errors.contains(problem))
  }

  /// Runs a program; `nil` if it cannot be started.
  private static func run(_ words: [String]) -> Int32? {
    let process = Process()
    process.executableURL = URL(filePath: words[0])
    process.arguments = Array(words.dropFirst())
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return nil }
    process.waitUntilExit()
    return process.terminationStatus
  }
}
