/// The median of some figures, and the quartiles around it.
struct Quartiles: Codable, Sendable {
  let low, median, high: Double

  /// The quartiles of at least one figure, each interpolated between its two neighbours.
  init(_ figures: [Double]) {
    let sorted = figures.sorted()
    func at(_ part: Double) -> Double {
      let place = part * Double(sorted.count - 1)
      let below = Int(place)
      let above = min(below + 1, sorted.count - 1)
      return sorted[below] + (sorted[above] - sorted[below]) * (place - Double(below))
    }
    low = at(0.25)
    median = at(0.5)
    high = at(0.75)
  }
}

/// How long calls took, in microseconds.
struct Latency: Codable, Sendable {
  let p50, p99, p999, max: Double

  /// The percentiles of at least one duration, by nearest rank.
  init(_ durations: [Duration]) {
    let sorted = durations.map { $0 / .microseconds(1) }.sorted()
    func at(_ part: Double) -> Double {
      sorted[Swift.max(0, Int((part * Double(sorted.count)).rounded(.up)) - 1)]
    }
    p50 = at(0.5)
    p99 = at(0.99)
    p999 = at(0.999)
    max = at(1)
  }
}
