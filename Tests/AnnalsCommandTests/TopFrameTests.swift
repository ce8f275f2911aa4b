import Annals
import Foundation
import Testing

@testable import AnnalsCommand

/// The text of a frame of `top`.
@Suite struct TopFrameTests {
  private static func frame(views: [(number: UInt64, position: UInt64)] = [(1, 1200)]) -> TopFrame {
    let first = ReportValueTests.pulse(seconds: 0, entries: 1000, generation: 3, views: [(1, 1000)])
    let next = ReportValueTests.pulse(seconds: 2, entries: 1500, generation: 3, views: views)
    return TopFrame(name: "a\u{1b}[31m", pulse: next, rate: PulseRate(from: first, to: next))
  }

  @Test func `a frame has entries and bytes per second, readers, the map and the lag of each view`() {
    let lines = Self.frame().lines()
    #expect(
      lines == [
        "a\\u{1b}[31m  generation 3",
        "",
        "entries   1\u{202f}500                     stored now  250 entries/s",
        "streams   3                                     2.4 KiB/s of payloads",
        "payloads  14.6 KiB                  readers     2, the oldest lags 7 commits",
        "file      4 KiB, 96 B free          map         8 KiB, 50 % used",
        "",
        "follows the log           state           position         lag  per second  rows",
        "view1 1                   ready              1\u{202f}200         300         100  12",
      ])
  }

  @Test func `a small terminal shows the views with the longest lag, and how many more there are`() {
    let views = (1...20).map { (number: UInt64($0), position: UInt64(1500 - $0 * 10)) }
    let lines = Self.frame(views: views).lines(rows: 12, columns: 40)
    #expect(lines.count == 12)
    #expect(lines.allSatisfy { $0.count <= 40 })
    #expect(lines[8].hasPrefix("view20 1"))
    #expect(lines[11] == "and 17 more")
    #expect(Self.frame(views: views).lines(rows: 1, columns: 5) == ["a\\u{…"])
  }

  @Test func `a frame is one write that erases the rest of each line and no whole screen`() {
    let bytes = Terminal.frame(["one", "two", "three"], rows: 2)
    #expect(bytes == "\u{1b}[?2026h\u{1b}[Hone\u{1b}[K\r\ntwo\u{1b}[K\u{1b}[J\u{1b}[?2026l")
    #expect(!bytes.contains("\u{1b}[2J"))
  }

  @Test func `once writes one frame, and JSON one line`() async throws {
    let folder = try TemporaryDirectory()
    let store = try await folder.filled()
    let run = await CommandRun("top", store, "--once")
    #expect(run.status == 0)
    #expect(run.lines.first == "orders.annals  generation 1")
    #expect(run.lines.contains { $0.hasPrefix("entries   5 ") && $0.hasSuffix("0 entries/s") })
    let objects = try await CommandRun("top", store, "--once", "--json").objects()
    #expect(objects.count == 1)
    #expect(objects.first?["entries"] as? Int == 5)
    #expect(objects.first?["entriesPerSecond"] as? Int == 0)
  }
}
