import Annals
import Foundation

/// A summary of a history, counted over the events of the current version.
struct HistoryReport {
  /// The number of commits.
  private(set) var commits = 0
  /// The number of events read.
  private(set) var events = 0
  /// The earliest and the latest time at which a commit was authored.
  private(set) var span: ClosedRange<Date>?

  /// Adds one event.
  mutating func add(_ event: HistoryV3.Event) {
    events += 1
    guard case .commitRecorded(let commit) = event else { return }
    commits += 1
    if let time = commit.time {
      span = min(span?.lowerBound ?? time, time)...max(span?.upperBound ?? time, time)
    }
  }

  /// Prints the report in a line.
  func print(to output: inout some TextOutputStream) {
    let days = span.map { span in
      let style = Date.ISO8601FormatStyle().year().month().day()
      return ", \(span.lowerBound.formatted(style)) to \(span.upperBound.formatted(style))"
    }
    output.line("Commits      \(commits.grouped)\(days ?? "")")
  }
}
