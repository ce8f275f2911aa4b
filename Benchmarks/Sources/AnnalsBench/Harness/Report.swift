#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The report of a run: a Markdown table for readers, and one JSON object a line for programs.
struct Report {
  /// The table's head.
  static let head = """
    | scenario | subject | median | quartiles | unit | p50 / p99 / p99.9 / max | ratio to (quartiles) | target |
    |---|---|---|---|---|---|---|---|
    """

  private var lines = ""

  /// The table's rows for one scenario.
  func rows(of scenario: any Scenario, _ outcome: Run.Outcome) -> String {
    let found = outcome.findings.map { finding in
      let cells = [
        scenario.title, finding.subject, Self.text(finding.rate), Self.spread(finding.quartiles),
        finding.unit,
        finding.latency.map {
          [$0.p50, $0.p99, $0.p999, $0.max].map(Self.text).joined(separator: " / ") + " µs"
        } ?? "",
        (finding.ratios ?? [:]).sorted { $0.key < $1.key }.map { peer, ratio in
          "\(peer) \(Self.text(ratio.median)) (\(Self.spread(ratio)))"
        }.joined(separator: ", "),
        finding.isTargetMet.map { "\(scenario.target?.text ?? ""): \($0 ? "met" : "missed")" } ?? "",
      ]
      return "| " + cells.joined(separator: " | ") + " |"
    }
    let skipped = outcome.skipped.map {
      "| \(scenario.title) | \($0.subject) | skipped: \($0.reason) | | | | | |"
    }
    return (found + skipped).joined(separator: "\n")
  }

  /// Keeps the lines that `file` has; the next write adds to them.
  mutating func resume(_ file: URL) throws { lines = try String(contentsOf: file, encoding: .utf8) }

  /// Adds the findings to the JSON lines in `file`. The whole file is written each time, so that an
  /// interrupted run leaves its findings.
  mutating func write(_ findings: [Finding], to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for finding in findings {
      lines += String(decoding: try encoder.encode(finding), as: UTF8.self) + "\n"
    }
    try Data(lines.utf8).write(to: file)
  }

  private static func spread(_ quartiles: Quartiles) -> String {
    "\(text(quartiles.low)) to \(text(quartiles.high))"
  }

  /// A figure with the digits that matter, thousands set apart.
  static func text(_ figure: Double) -> String {
    guard figure < 100 else { return grouped(Int(figure.rounded())) }
    let decimals: Double = figure < 10 ? 1000 : 10
    return "\((figure * decimals).rounded() / decimals)"
  }

  private static func grouped(_ number: Int) -> String {
    number < 1000
      ? "\(number)" : grouped(number / 1000) + "," + String("\(1000 + number % 1000)".dropFirst())
  }
}
