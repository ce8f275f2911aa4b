import Annals
import Foundation

/// What a history comes to, folded from events of the current version.
struct HistoryReport {
  /// How many commits there are.
  private(set) var commits = 0
  /// How many changes of files there are.
  private(set) var changes = 0
  /// How many events were read.
  private(set) var events = 0
  /// The earliest and the latest moment at which a commit was authored.
  private(set) var span: ClosedRange<Date>?
  // By bytes: two names that merely look alike are two.
  private var authors: [[UInt8]: Int] = [:]
  private var files: [[UInt8]: Int] = [:]

  /// Takes one event.
  mutating func add(_ event: HistoryV3.Event) {
    events += 1
    switch event {
    case .commitRecorded(let commit):
      commits += 1
      authors[Array(commit.author.name.utf8), default: 0] += 1
      if let time = commit.time {
        span = min(span?.lowerBound ?? time, time)...max(span?.upperBound ?? time, time)
      }
    case .fileChanged(let change):
      changes += 1
      files[Array(change.path.utf8), default: 0] += 1
    case .historyRead:
      break
    }
  }

  /// How many authors there are.
  var authorCount: Int { authors.count }
  /// How many paths were ever changed.
  var fileCount: Int { files.count }

  /// The authors with the most commits.
  func topAuthors(_ limit: Int) -> [(name: String, count: Int)] { Self.top(authors, limit) }

  /// The files that were changed most often.
  func busiestFiles(_ limit: Int) -> [(name: String, count: Int)] { Self.top(files, limit) }

  private static func top(_ counts: [[UInt8]: Int], _ limit: Int) -> [(name: String, count: Int)] {
    counts.sorted { left, right in
      left.value == right.value ? left.key.lexicographicallyPrecedes(right.key) : left.value > right.value
    }.prefix(limit).map { (String(decoding: $0.key, as: UTF8.self), $0.value) }
  }
}

extension HistoryReport {
  /// Prints the report in a few lines.
  func print(to output: inout some TextOutputStream) {
    let days = span.map { span in
      let style = Date.ISO8601FormatStyle().year().month().day()
      return ", \(span.lowerBound.formatted(style)) to \(span.upperBound.formatted(style))"
    }
    output.line("Commits      \(commits.grouped)\(days ?? "")")
    Self.print("Authors", authorCount, topAuthors(5), to: &output)
    Self.print("Files", fileCount, busiestFiles(5), to: &output)
  }

  private static func print(
    _ title: String, _ count: Int, _ top: [(name: String, count: Int)], to output: inout some TextOutputStream
  ) {
    output.line(title.padding(toLength: 13, withPad: " ", startingAt: 0) + count.grouped)
    for (name, count) in top {
      let number = count.grouped
      output.line(String(repeating: " ", count: max(0, 12 - number.count)) + number + "  " + name.printable)
    }
  }
}
