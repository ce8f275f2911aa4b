import Annals

/// A chart of stacked bars: how entries or bytes are distributed along the log.
struct DistributionChart {
  /// The most series with a colour of their own; the others share one.
  static let colours = 6
  /// The size of the drawing in its own units; the page scales it.
  private static let (width, height) = (480, 110)

  /// The heading.
  let title: String
  /// The sum of each section by colour.
  private let sections: [[Double]]
  private let labels: (start: String, end: String)
  private let top: (value: Double, label: String)

  /// - Parameters:
  ///   - palette: The colour of each series, from 0.
  ///   - value: The values of a section, by series.
  ///   - label: The text of the highest value.
  init(
    _ title: String, _ distribution: EntryDistribution, palette: [Int],
    _ value: (EntryDistribution.Section) -> [Double], label: (UInt64) -> String
  ) {
    self.title = title
    sections = distribution.sections.map { section in
      var sums = Array(repeating: 0.0, count: Self.colours + 1)
      for (series, amount) in value(section).enumerated() { sums[palette[series]] += amount }
      return sums
    }
    let highest = sections.map { $0.reduce(0, +) }.max() ?? 0
    top = (highest, label(UInt64(min(max(highest.rounded(), 0), 1e18))))
    labels =
      switch distribution.axis {
      case .position: ("\(distribution.start)", "\(distribution.end)")
      case .time: Self.times(distribution.start, distribution.end)
      }
  }

  private static func times(_ start: Int64, _ end: Int64) -> (String, String) {
    // Minutes are enough, unless all events are of one or two.
    let length = Double(end) - Double(start) < 120e6 ? 19 : 16
    let texts = [start, end].map { String("\(Timestamp(microseconds: $0))".prefix(length)) }
    return (texts[0], texts[1])
  }

  /// Appends the chart.
  func write(to page: inout HTMLWriter) {
    page.element("figure") { page in
      page.element("figcaption") { page in
        page.append(title)
        page.element("span", ["class": "top"], "highest \(top.label)")
      }
      page.element(
        "svg",
        [
          "viewBox": "0 0 \(Self.width) \(Self.height)", "role": "img", "preserveAspectRatio": "none",
          "aria-label": "\(title), from \(labels.start) to \(labels.end), highest \(top.label)",
        ]
      ) { page in
        for colour in 0...Self.colours {
          let path = path(of: colour)
          if !path.isEmpty { page.element("path", ["class": "c\(colour)", "d": path], "") }
        }
      }
      page.element("div", ["class": "axis"]) { page in
        page.element("span", labels.start)
        page.element("span", labels.end)
      }
    }
  }

  /// The bars of one colour, each on top of the colours before it.
  private func path(of colour: Int) -> String {
    guard top.value > 0 else { return "" }
    let step = Double(Self.width) / Double(max(sections.count, 1))
    var path = ""
    for (index, sums) in sections.enumerated() where sums[colour] > 0 {
      let below = sums[..<colour].reduce(0, +)
      let scale = Double(Self.height) / top.value
      let (x, y) = (Double(index) * step, Double(Self.height) - (below + sums[colour]) * scale)
      path += "M\(Self.text(x)) \(Self.text(y))h\(Self.text(step * 0.86))v\(Self.text(sums[colour] * scale))"
      path += "h-\(Self.text(step * 0.86))z"
    }
    return path
  }

  private static func text(_ number: Double) -> String {
    let rounded = Int((number * 10).rounded())
    return rounded.isMultiple(of: 10) ? "\(rounded / 10)" : "\(rounded / 10).\(abs(rounded % 10))"
  }
}
