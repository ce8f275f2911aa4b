import Annals
import AnnalsSwiftData
import AnnalsTestSupport
import Foundation
import Testing

/// The commands of docs/moving-in.md print what the page shows.
struct MovingInPageTests {
  private static let page = URL(
    filePath: URL(filePath: #filePath).pathComponents.dropLast(3).joined(separator: "/")
  ).appending(path: "docs/moving-in.md")

  /// The commands of the page with their output.
  private func steps() throws -> [(command: String, output: String)] {
    var steps: [(command: String, output: String)] = []
    var isInside = false
    for line in try String(contentsOf: Self.page, encoding: .utf8).split(
      separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("```") {
        isInside = line == "```console"
      } else if isInside, line.hasPrefix("$ ") {
        steps.append((String(line.dropFirst(2)), ""))
      } else if isInside, !steps.isEmpty {
        steps[steps.count - 1].output += line + "\n"
      }
    }
    return steps
  }

  @Test(
    .enabled(if: RealStores.folder != nil, "no stores of the framework on this machine"),
    .enabled(if: BuiltProgram.path != nil, "the executable is not next to the test bundle"))
  func `each command prints what the page shows`() throws {
    let folder = try TemporaryDirectory()
    let store = try #require(RealStores.folder).appending(path: "default.store")
    try FileManager.default.createSymbolicLink(
      at: folder.url.appending(path: "default.store"), withDestinationURL: store)
    let programs = try #require(BuiltProgram.path).deletingLastPathComponent().path
    let steps = try steps()
    #expect(steps.count == 5)
    for step in steps {
      let run = try ProposedProgram.run(
        URL(filePath: "/bin/sh"), ["-c", step.command], in: folder.url, path: "\(programs):/usr/bin:/bin")
      #expect(run.status == 0 && run.output == step.output, "\(step.command)")
    }
  }

  @Test func `the example in code imports a file`() throws {
    let source = try ReadingTests.blog()
    let store = try TemporaryStore()
    let log = try EventLog(at: store.url)
    let url = source.url
    let file = try SwiftDataFile(at: url)
    let proposal = try file.proposal(named: "Resources")
    let report = try file.importRows(into: log, mapping: proposal.mapping)
    #expect(report.inserted == 8)
  }
}
