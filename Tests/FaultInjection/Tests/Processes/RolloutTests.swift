import Annals
import FaultPrograms
import Foundation
import Testing

/// Programs one version apart that use a store while the newer version is rolled out.
@Suite(.serialized) struct RolloutTests {
  /// The time limit for every step, in seconds.
  private static let patience = 300.0

  private func wait(for journal: String, toHave count: Int) throws {
    let deadline = Date.now + Self.patience
    var found = 0
    while found < count {
      try #require(Date.now < deadline, "\(journal) has \(found)")
      usleep(2_000)
      found = try done(journal).count
    }
  }

  /// The positions that a process was given for its events, by number.
  private func done(_ journal: String) throws -> [[String]] {
    try Journal.lines(path: journal).filter { $0.first == "done" }
  }

  /// Runs a step to its end, and returns its output.
  private func step(_ temporary: TemporaryStore, _ plan: String, _ verb: String) throws -> String {
    let child = try Child.run("roll", plan, temporary.url.path, verb)
    let end = try child.wait(Self.patience)
    let text = child.text()
    #expect(end == .exit(0), "\(text)")
    return text.filter { $0 != "!" }.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  // Promise P122.
  @Test(arguments: ["superset", "lowered"])
  func `two programs append and read through a whole roll-out, and nothing is lost`(plan: String) throws {
    let temporary = try TemporaryStore()
    try temporary.create()
    let (path, stop) = (temporary.url.path, temporary.path("stop"))
    let (old, new) = (temporary.path("old"), temporary.path("new"))
    let first = try Child.run("roll", "first", path, "run", "1", old, stop)
    // This waits, because a newer program that is alone is active at once.
    #expect(first.speaks(within: Self.patience))
    let second = try Child.run("roll", plan, path, "run", "2", new, stop)
    #expect(second.speaks(within: Self.patience))
    try wait(for: old, toHave: 15)
    try wait(for: new, toHave: 15)

    #expect(try step(temporary, plan, "activate") == "busy")
    #expect(try first.ended() == nil)
    // A program that is killed holds nothing up.
    let killed = try Child.run("roll", "first", path, "hold")
    #expect(killed.speaks(within: Self.patience))
    try killed.kill()
    let dead = try leases(temporary)
    #expect(dead.count == 3)

    #expect(try step(temporary, plan, "supersede") == "activated")
    #expect(try step(temporary, plan, "activate") == "active")
    #expect(try first.wait(Self.patience) == .exit(0), "\(first.text())")
    #expect(try Journal.lines(path: old).last == ["superseded"])
    let behind = try done(new).count
    try wait(for: new, toHave: behind + 10)

    #expect(try step(temporary, plan, "contract") == "requiresPass")
    #expect(try step(temporary, plan, "migrate").hasPrefix("migrated "))
    #expect(try step(temporary, plan, "contract") == "contracted")
    #expect(try step(temporary, "first", "activate") == "superseded")
    let contracted = try done(new).count
    try wait(for: new, toHave: contracted + 10)
    try Data().write(to: URL(fileURLWithPath: stop))
    #expect(try second.wait(Self.patience) == .exit(0), "\(second.text())")

    try check(temporary, by: [1: old, 2: new])
    #expect(try leases(temporary).isEmpty)
  }

  @Test(arguments: ["superset", "lowered"])
  func `of two processes that activate at once one does it and the other finds it done`(plan: String) throws {
    let temporary = try TemporaryStore()
    try temporary.create()
    let path = temporary.url.path
    let children = try (0..<2).map { _ in try Child.run("roll", plan, path, "activate") }
    var words: [String] = []
    for child in children {
      #expect(try child.wait(Self.patience) == .exit(0))
      words.append(child.text().filter { $0 != "!" && $0 != "\n" })
    }
    #expect(words.sorted() == ["activated", "active"])
  }

  private func leases(_ temporary: TemporaryStore) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: temporary.url.path).filter {
      $0.hasSuffix(".lease") && $0.hasPrefix("program-")
    }
  }

  /// Checks that every event reported as stored is at its reported position, and that nothing else is stored.
  private func check(_ temporary: TemporaryStore, by journals: [Int: String]) throws {
    #expect(try EventLog.verify(temporary.url).isClean)
    let log = try EventLog(at: temporary.url)
    let places = try log.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var places: [String: [UInt64]] = [:]
      while let entry = try entries.next() {
        places[entry.stream.text, default: []].append(entry.position.rawValue)
      }
      return places
    }
    for (number, journal) in journals {
      let told = try done(journal).compactMap { UInt64($0[2]) }
      #expect(places["weighings-\(number)"] == told)
    }
  }
}
