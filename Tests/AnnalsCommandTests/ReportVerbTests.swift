import Annals
import AnnalsTestSupport
import Foundation
import Testing

@testable import AnnalsCommand

/// The page that `report` writes.
@Suite struct ReportVerbTests {
  /// Texts that would change a page if one of them were not escaped.
  private static let hostile = [
    "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "a&amp;b", "it's", "</style></table>",
    "\u{202e}reversed", "</title>",
  ]

  /// A store whose streams, types and payloads are all hostile.
  private func hostileStore(_ folder: TemporaryDirectory) async throws -> String {
    let lines = try Self.hostile.flatMap { name in
      try Self.hostile.prefix(3).map { type in
        let line: [String: Any] = [
          "stream": name, "type": type, "version": "1.0.0", "data": ["secret": "hunter2", name: name],
        ]
        return String(decoding: try JSONSerialization.data(withJSONObject: line), as: UTF8.self)
      }
    }
    let run = await CommandRun("import", folder.store, try folder.write("l", lines.joined(separator: "\n")))
    #expect(run.errors == "")
    return folder.store
  }

  @Test func `a page is well formed, names no address and runs nothing for any text in the store`()
    async throws
  {
    let folder = try TemporaryDirectory()
    let store = try await hostileStore(folder)
    let run = await CommandRun("report", store, "--entry", "1", "--entry", "9", "--verify")
    #expect(run.status == 0, "\(run.errors)")
    let page = PageCheck(run.output)
    #expect(page.problem == nil)
    let known: Set<String> = [
      "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "main", "h1", "h2", "h3", "h4", "p",
      "div", "b", "span", "ul", "li", "i", "figure", "figcaption", "svg", "path", "table", "thead", "tbody",
      "tr", "th", "td", "section", "dl", "dt", "dd",
    ]
    #expect(Set(page.elements).isSubset(of: known), "\(Set(page.elements).subtracting(known))")
    #expect(page.attributes.isDisjoint(with: ["src", "href", "onerror", "style"]))
    for name in Self.hostile {
      // The direction mark is made visible, everything else is a text of the page.
      let shown = name.replacing("\u{202e}", with: "\\u{202e}")
      #expect(page.texts.contains(shown), "\(shown)")
    }
    for address in ["http:", "https:", "url(", "@import", "://"] { #expect(!run.output.contains(address)) }
    #expect(run.output.contains("default-src &#39;none&#39;; style-src &#39;sha256-"))
  }

  @Test func `a page has payloads of the entries that were asked for and of no other`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await hostileStore(folder)
    let run = await CommandRun("report", store)
    #expect(run.status == 0)
    #expect(!run.output.contains("hunter2") && !run.output.contains("secret"))
    let one = await CommandRun("report", store, "--entry", "2")
    #expect(one.output.components(separatedBy: "hunter2").count == 2)
    let json = await CommandRun("report", store, "--json")
    #expect(!json.output.contains("hunter2"))
  }

  @Test func `a plan's page shows each stage of an entry with the fields that changed`() async throws {
    let folder = try TemporaryDirectory()
    let run = await CommandRun(for: ParkPlan.self, "report", try await folder.parks(), "--entry", "1")
    #expect(run.status == 0, "\(run.errors)")
    let page = PageCheck(run.output)
    #expect(page.problem == nil)
    #expect(page.texts.contains("stored"))
    #expect(page.texts.contains("1.1.0"))
    #expect(page.texts.contains("2.0.0, now"))
    #expect(run.output.contains(#"<div class="added"><dt>country</dt><dd>&quot;FR&quot;</dd></div>"#))
    #expect(run.output.contains(#"<div class="added"><dt>title</dt><dd>&quot;Mill&quot;</dd></div>"#))
    #expect(run.output.contains(#"<div class="removed"><dt>name</dt><dd>&quot;Mill&quot;</dd></div>"#))
    #expect(run.output.contains(#"<div class=""><dt>city</dt><dd>&quot;Nantes&quot;</dd></div>"#))
  }

  @Test func `a plan's page shows a split, a drop and a rule that fails`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks()
    let run = await CommandRun(
      for: ParkPlan.self, "report", store, "--entry", "2", "--entry", "3", "--entry=5")
    #expect(run.status == 0, "\(run.errors)")
    let texts = PageCheck(run.output).texts
    #expect(texts.contains("TreePlanted [0]") && texts.contains("TreePlanted [1]"))
    #expect(texts.contains("Inspected: Drop, inspections are kept elsewhere"))
    #expect(texts.contains("nothing of it is delivered"))
    #expect(texts.contains { $0.hasPrefix("ruleFailed: ") })
  }

  @Test func `a plan's page says which schemas can be deleted and what a pass rewrites`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.parks(withFailure: false)
    let before = PageCheck(await CommandRun(for: ParkPlan.self, "report", store).output).texts
    #expect(
      before.contains(
        "The plan may begin at 1.0.0 and still read this store. Backups and other stores may need older schemas."
      ))
    #expect(before.contains("rewritten at 2.0.0, through 1.1.0, 2.0.0"))
    #expect(await CommandRun(for: ParkPlan.self, "migrate", store).status == 0)
    let after = PageCheck(await CommandRun(for: ParkPlan.self, "report", store).output).texts
    #expect(after.contains("can be deleted"))
    #expect(after.contains("Nothing: all events are of the plan's current version."))
    #expect(after.contains("generation; 1 is kept"))
    let generic = PageCheck(await CommandRun("report", store).output).texts
    #expect(generic.contains("The command of a plan also says which of its schemas can be deleted."))
  }

  @Test func `a page and a frame show views, consumers, dead letters and programs`() async throws {
    let folder = try TemporaryDirectory()
    let path = try await folder.parks(withFailure: false)
    let store = try EventStore(at: URL(filePath: path), plan: ParkPlan.self)
    let view = try store.view(ReportedKinds.self)
    try await view.waitUntilBuilt()
    struct Unable: Error {}
    let options = ProcessingOptions(poison: .deadLetter(after: 1), endsAtHead: true)
    try await store.process("<mail>", options: options) { _ in throw Unable() }
    let run = await CommandRun("report", path)
    let page = PageCheck(run.output)
    #expect(page.problem == nil)
    for text in [
      "kinds", "ready", "<mail>", "Unable", "\(ProcessInfo.processInfo.processIdentifier)", "2.0.0",
    ] {
      #expect(page.texts.contains(text), "\(text)")
    }
    let objects = try await CommandRun("report", path, "--json").objects()
    func rows(_ section: String) -> [[String: Any]] { objects.filter { $0["section"] as? String == section } }
    #expect(rows("view").first?["rows"] as? Int == 1)
    #expect(rows("consumer").first?["deadLetters"] as? Int == 4)
    #expect(rows("deadLetter").count == 4)
    let frame = await CommandRun("top", path, "--once")
    #expect(frame.lines.contains { $0.hasPrefix("kinds 1 ") && $0.contains(" ready ") }, "\(frame.output)")
    #expect(frame.lines.contains { $0.hasPrefix("<mail> ") && $0.hasSuffix("4 dead letters") })
    withExtendedLifetime(view) {}
  }

  @Test func `a page shows what a verification found`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let sound = PageCheck(await CommandRun("report", store, "--verify").output).texts
    #expect(sound.contains { $0.hasPrefix("Nothing wrong at ") && $0.hasSuffix(": 5 entries in 2 streams.") })
    #expect(
      PageCheck(await CommandRun("report", store).output).texts.contains { $0.hasPrefix("Not checked.") })
  }

  @Test func `a damaged entry is found, ends the sample, and leaves the rest of the page`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let file = URL(filePath: store + "/log-000001.mdb")
    var log = try Data(contentsOf: file)
    // The payload of the third entry, wherever the file has it.
    let payload = Data([0xa1, 0x61, 0x6e, 0x03])
    while let place = log.range(of: payload) { log[place.upperBound - 1] = 0x09 }
    try log.write(to: file)
    let run = await CommandRun("report", store, "--verify")
    #expect(run.status == 0, "\(run.errors)")
    let texts = PageCheck(run.output).texts
    #expect(texts.contains { $0.hasPrefix("The log cannot be read to its end: ") })
    #expect(texts.contains("position 3") && texts.contains("restore from a backup"), "\(texts)")
    #expect(texts.contains("a/even"))
  }

  @Test func `a damaged page is an error of a check`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let file = URL(filePath: store + "/log-000001.mdb")
    var log = try Data(contentsOf: file)
    // The flags of every page but the meta pages.
    for page in stride(from: 2 * 4096, to: log.count, by: 4096) { log[page + 10] ^= 0xff }
    try log.write(to: file)
    let run = await CommandRun("report", store, "--verify", "-o", folder.path("report.html"))
    #expect(run.status == 65)
    #expect(!FileManager.default.fileExists(atPath: folder.path("report.html")))
  }

  @Test func `a report is written to a file as a whole, and replaces what was there`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let file = try folder.write("report.html", "old")
    let run = await CommandRun("report", store, "-o", file)
    #expect(run.status == 0 && run.output == "")
    let page = try String(contentsOfFile: file, encoding: .utf8)
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    #expect(!page.contains("http-equiv=\"refresh\""))
    let lines = await CommandRun("report", store, "--json", "-o", file)
    #expect(lines.status == 0 && lines.output == "")
    #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("{"))
  }

  @Test(arguments: [
    ("none/report.html", "the directory above it does not exist; create it first"),
    ("lines.jsonl/report.html", "what is above it is not a directory"),
    ("", "it is a directory; give it the name of a file"),
    (".", "it is a directory; give it the name of a file"),
    ("link.html", "it is a link, a device or a pipe; give it the name of a file"),
    ("pipe.html", "it is a link, a device or a pipe; give it the name of a file"),
  ])
  func `a report that cannot be written to a file says which and why`(name: String, reason: String)
    async throws
  {
    let folder = try TemporaryDirectory()
    let (store, file) = (try await folder.filled(), "\(folder.url.path)/\(name)")
    try FileManager.default.createSymbolicLink(atPath: folder.path("link.html"), withDestinationPath: "none")
    #expect(unsafe mkfifo(folder.path("pipe.html"), 0o600) == 0)
    let run = await CommandRun("report", store, "-o", file)
    #expect(run.status == 73)
    #expect(run.errors == "annals: cannotCreate: writing the report '\(file)' failed: \(reason)\n")
  }

  @Test func `JSON lines have a section each, and numbers that add up`() async throws {
    let folder = try TemporaryDirectory()
    let objects = try await CommandRun("report", try await folder.filled(), "--json").objects()
    func rows(_ section: String) -> [[String: Any]] { objects.filter { $0["section"] as? String == section } }
    #expect(rows("store").first?["entries"] as? Int == 5)
    #expect(rows("type").compactMap { $0["events"] as? Int } == [3, 2])
    #expect(rows("stream").compactMap { $0["stream"] as? String } == ["b odd", "a/even"])
    for axis in ["position", "time"] {
      #expect(rows(axis).count == StoreReport.sectionCount)
      #expect(rows(axis).compactMap { $0["events"] as? Int }.sum() == 5)
    }
  }

  @Test(arguments: ["report", "top"])
  func `an empty store has a report and a frame, and no byte of it is changed`(verb: String) async throws {
    let folder = try TemporaryDirectory()
    #expect(await CommandRun("import", folder.store, try folder.write("empty", "")).status == 0)
    let before = try TemporaryDirectory.content(folder.store)
    let run = await CommandRun([verb, folder.store] + (verb == "top" ? ["--once"] : []))
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains(verb == "top" ? "no views and no consumers" : "The log is empty."))
    #expect(try TemporaryDirectory.content(folder.store) == before)
  }

  @Test(arguments: [
    (["--watch"], "--watch needs a file to write: add -o FILE"),
    (["--watch", "-o", "f", "--json"], "--watch and --json exclude each other"),
    (["--interval", "0"], "--interval needs a number of seconds from 1 to 86400"),
    (["--entry", "0"], "--entry needs a position, a whole number from 1, not '0'"),
  ])
  func `a wrong command line is refused`(words: [String], problem: String) async throws {
    let run = await CommandRun(["report", "s"] + words)
    #expect(run.status == 64)
    #expect(run.errors.contains(problem), "\(run.errors)")
  }

  @Test func `an entry that the log does not have is wrong use`() async throws {
    let folder = try TemporaryDirectory()
    let run = await CommandRun("report", try await folder.filled(), "--entry", "6")
    #expect(run.status == 64)
    #expect(run.errors.contains("there is no position 6: the log has 5 entries"), "\(run.errors)")
  }
}

/// A view for the page.
private enum ReportedKinds: Projection {
  typealias Event = ParksV2.Event
  @Record struct Kind: ProjectionRow {
    var kind: String
    var count: Int
    var key: String { kind }
  }

  static let name = "kinds"
  static let version = 1
  static var tables: [ProjectionTable] { [.rows(Kind.self)] }

  static func apply(_ entry: Entry<Event>, to rows: inout ProjectionRows) throws {
    guard case .treePlanted(let tree) = entry.event else { return }
    try rows.update(Kind.self, tree.kind, initial: Kind(kind: tree.kind, count: 0)) { $0.count += 1 }
  }
}
