#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `chart`: draws the rate of appends over the number of streams, from figures that were measured.
struct ChartCommand: Command {
  private let figures: String
  private let picture: String

  init(_ words: some Sequence<String>) throws(WrongUsage) {
    let words = Array(words)
    guard words.count == 2 else {
      throw WrongUsage(
        description: "chart needs a file of figures, which --json writes, and a file to draw to")
    }
    (figures, picture) = (words[0], words[1])
  }

  func run() throws {
    let findings = try Data(contentsOf: URL(fileURLWithPath: figures)).split(separator: UInt8(ascii: "\n"))
      .map { try JSONDecoder().decode(Finding.self, from: $0) }
    guard let chart = RateChart(findings) else {
      throw WrongWork(description: "'\(figures)' has no appends with more than one number of streams")
    }
    try Data(chart.svg.utf8).write(to: URL(fileURLWithPath: picture))
  }
}
