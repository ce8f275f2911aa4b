#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `chart`: draws measured figures: work by the size of the log if `growth` wrote them, else appends by
/// streams.
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
    guard let chart = LineChart(growth: findings) ?? LineChart(rates: findings) else {
      throw WrongWork(
        description:
          "'\(figures)' has neither logs of several sizes nor appends to several numbers of streams")
    }
    try Data(chart.svg.utf8).write(to: URL(fileURLWithPath: picture))
  }
}
