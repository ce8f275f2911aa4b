/// `typed`: measures the cost of reading and writing typed events.
///
/// Measures them decoded alone and through a store, with and without stages.
struct TypedCommand: Command {
  private var rounds = 15
  private var events = 100_000
  private var prefix = ""

  init(_ words: some Sequence<String>) throws(WrongUsage) {
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--rounds": rounds = try Self.number(word, words.next())
      case "--events": events = try Self.number(word, words.next())
      case "--only":
        guard let value = words.next() else { throw WrongUsage(description: "\(word) needs a value") }
        prefix = value
      default: throw WrongUsage(description: "'\(word)' is not known")
      }
    }
  }

  private static func number(_ option: String, _ value: String?) throws(WrongUsage) -> Int {
    guard let value, let number = Int(value), (1...10_000_000).contains(number) else {
      throw WrongUsage(description: "\(option) is a number from 1 to 10,000,000")
    }
    return number
  }

  func run() async throws {
    try await Workplace.lend(inside: Workplace.parent(nil)) { directory in
      let work = try await TypedWork(events: events, in: directory)
      let named = work.pieces.filter { $0.name == prefix }
      let pieces = named.isEmpty ? work.pieces.filter { $0.name.hasPrefix(prefix) } : named
      guard !pieces.isEmpty else { throw WrongUsage(description: "nothing begins with '\(prefix)'") }
      var figures = Array(repeating: [Double](), count: pieces.count)
      for round in 0...rounds {
        for (index, piece) in pieces.enumerated() {
          let start = ContinuousClock.now
          let count = try await piece.run()
          let time = start.duration(to: .now)
          guard count == events else {
            throw WrongWork(description: "'\(piece.name)' saw \(count) events of \(events)")
          }
          // The first round only warms caches.
          if round > 0 { figures[index].append(time / .nanoseconds(1) / Double(events)) }
        }
      }
      report(pieces.map(\.name), figures)
      print("payload bytes: by shape \(work.shapedBytes), by name \(work.namedBytes)")
    }
  }

  private func report(_ names: [String], _ figures: [[Double]]) {
    var medians: [String: [Double]] = [:]
    for (name, figures) in zip(names, figures) {
      medians[name] = figures
      let quartiles = Quartiles(figures)
      print(
        "\(name): \(Self.text(quartiles.median)) ns an event (\(Self.text(quartiles.low)) to \(Self.text(quartiles.high)))"
      )
    }
    for ratio in TypedWork.ratios {
      guard let left = medians[ratio.left], let right = medians[ratio.right] else { continue }
      // Of each round apart, so that what slows the machine for a while slows both.
      let quartiles = Quartiles(zip(left, right).map { $0 / $1 })
      print(
        "\(ratio.left) / \(ratio.right): \(Self.text(quartiles.median)) (\(Self.text(quartiles.low)) to \(Self.text(quartiles.high))), \(ratio.target)"
      )
    }
  }

  /// A figure with three digits.
  private static func text(_ figure: Double) -> String {
    figure >= 100 ? String(Int(figure.rounded())) : String((figure * 100).rounded() / 100)
  }
}
