import History

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `history`: several processes write and read one store, are killed, and a history of it is written.
struct HistoryCommand: Command {
  private var file = ""
  private var processes = 3
  private var seconds = 10
  private var seed = 1
  private var streams = 3
  private var directory: String?

  init(_ words: some Sequence<String>) throws(WrongUsage) {
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--processes": processes = try Self.number(word, words.next(), 1...64)
      case "--seconds": seconds = try Self.number(word, words.next(), 1...86_400)
      case "--seed": seed = try Self.number(word, words.next(), 0...Int.max)
      case "--streams": streams = try Self.number(word, words.next(), 1...1_000)
      case "--directory":
        guard let value = words.next() else { throw WrongUsage(description: "\(word) needs a value") }
        directory = value
      default:
        guard file.isEmpty, !word.hasPrefix("-") else {
          throw WrongUsage(description: "'\(word)' is not known")
        }
        file = word
      }
    }
    guard !file.isEmpty else { throw WrongUsage(description: "history needs a file to write to") }
  }

  private static func number(
    _ option: String, _ value: String?, _ range: ClosedRange<Int>
  ) throws(WrongUsage) -> Int {
    guard let value, let number = Int(value), range.contains(number) else {
      throw WrongUsage(description: "\(option) is a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func run() async throws {
    let (history, kills, failures) = try await Workplace.lend(inside: Workplace.parent(directory)) {
      directory in
      var run = try HistoryRun(streams: streams, seconds: seconds, seed: UInt64(seed), in: directory)
      try await run.run(processes: processes)
      return (run.history, run.kills, run.failures)
    }
    var text = ""
    for line in history { text += try line.text() + "\n" }
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    let operations = history.count { $0.type == .invoke }
    let unknown = history.count { $0.type == .info }
    print(
      "\(operations) operations on \(streams) streams by \(processes) processes at a time; \(kills) killed; the end of \(unknown) operations is unknown"
    )
    // The history file is written even then, so that the reason can be found.
    guard failures.isEmpty else { throw WrongWork(description: failures.joined(separator: "; ")) }
  }
}
