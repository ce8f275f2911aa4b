import Annals
import Foundation
import Testing

import AnnalsTestSupport
@testable import GitHistory

/// The current readings of events of version 1.
@Suite struct HistoryPlanTests {
  private func today(_ events: [HistoryV1.Event]) async throws -> [HistoryV3.Event] {
    let place = try TemporaryDirectory()
    let url = place.url.appending(path: "history.annals")
    let first = try EventStore(at: url, plan: FirstHistoryPlan.self)
    try await first.append(events, to: "commits")
    let store = try EventStore(at: url, plan: HistoryPlan.self)
    return try store.read { (snapshot) throws(AnnalsError) in
      var entries = try snapshot.entries()
      var events: [HistoryV3.Event] = []
      while let entry = try entries.next() { events.append(entry.event) }
      return events
    }
  }

  private func commit(
    author: String = "Ann <ann@example.org>", date: String = "1577927045 +0200",
    message: String = "one",
    files: [String] = []
  ) async throws -> HistoryV3.CommitRecorded? {
    let events = try await today([
      .commitMade(.init(sha: "12", author: author, date: date, message: message, files: files))
    ])
    guard case .commitRecorded(let commit) = events.first else { return nil }
    return commit
  }

  @Test func `a commit becomes itself and a change for each file`() async throws {
    let events = try await today([
      .commitMade(
        .init(
          sha: "12", author: "Ann <ann@example.org>", date: "1577927045 +0200",
          message: "one\n\ntwo",
          files: ["M\ta b.txt", "R\told.txt\tnew.txt"])),
      .filesContinued(.init(sha: "12", files: ["D\tc.txt"])), .historyRead(.init(head: "12", commits: 1)),
    ])
    guard events.count == 5 else {
      Issue.record("\(events)")
      return
    }
    guard case .commitRecorded(let commit) = events[0], case .fileChanged(let first) = events[1],
      case .fileChanged(let second) = events[2], case .fileChanged(let third) = events[3],
      case .historyRead(let reading) = events[4]
    else {
      Issue.record("\(events)")
      return
    }
    #expect(commit.author == .init(name: "Ann", email: "ann@example.org"))
    #expect(commit.time == Date(timeIntervalSince1970: 1_577_927_045))
    #expect(commit.subject == "one")
    #expect(commit.body == "two")
    #expect(first == .init(sha: "12", change: "M", path: "a b.txt", formerPath: nil))
    #expect(second == .init(sha: "12", change: "R", path: "new.txt", formerPath: "old.txt"))
    #expect(third == .init(sha: "12", change: "D", path: "c.txt", formerPath: nil))
    #expect(reading == .init(head: "12", commits: 1))
  }

  @Test(
    arguments: [
      ("Ann <ann@example.org>", "Ann", "ann@example.org"), (" <>", "", ""), ("Ann <>", "Ann", ""),
      ("A <b> C <c@d>", "A <b> C", "c@d"), ("no address", "no address", ""), ("", "", ""),
    ])
  func `an author's text becomes name and address`(text: String, name: String, email: String) async throws {
    #expect(try await commit(author: text)?.author == .init(name: name, email: email))
  }

  @Test(
    arguments: [
      ("0 +0000", 0), ("-1 -1200", -1), ("253402300799 +1400", 253_402_300_799),
    ])
  func `a date's text becomes a moment`(text: String, seconds: Double) async throws {
    #expect(try await commit(date: text)?.time == Date(timeIntervalSince1970: seconds))
  }

  @Test(arguments: ["", " ", "yesterday", "7", "x +0000", "253402300800 +0000", "18446744073709551615 +0000"])
  func `a date that makes no sense stays unknown`(text: String) async throws {
    let commit = try #require(try await commit(date: text))
    #expect(commit.time == nil)
  }

  @Test(arguments: [
    ("", "", ""), ("a", "a", ""), ("a\nb", "a", "b"), ("\nb", "", "b"), ("a\n\n\nb\n", "a", "b\n"),
  ])
  func `a message becomes subject and body`(text: String, subject: String, body: String) async throws {
    let commit = try #require(try await commit(message: text))
    #expect(commit.subject == subject)
    #expect(commit.body == body)
  }
}
