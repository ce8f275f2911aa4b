extension RateChart {
  /// The chart as a picture of its own, legible on light and on dark ground.
  var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 420" role="img" aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">
      <title id="title">\(Self.title)</title>
      <desc id="description">\(description)</desc>
      <style>
        text { fill: #24292f }
        .quiet { fill: #57606a }
        .grid { stroke: #d0d7de; stroke-width: 1 }
        .line { fill: none; stroke-width: 2.5; stroke-linejoin: round }
        .spread { stroke-width: 1.5 }
        .s0 { stroke: #0969da } .f0 { fill: #0969da }
        .s1 { stroke: #6e7781 } .f1 { fill: #6e7781 }
        .s2 { stroke: #bc4c00 } .f2 { fill: #bc4c00 }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 }
          .quiet { fill: #9198a1 }
          .grid { stroke: #3d444d }
          .s0 { stroke: #58a6ff } .f0 { fill: #58a6ff }
          .s1 { stroke: #9198a1 } .f1 { fill: #9198a1 }
          .s2 { stroke: #f0883e } .f2 { fill: #f0883e }
        }
      </style>
      <text x="84" y="28" font-size="17" font-weight="600">\(Self.title)</text>
      <text x="84" y="50" class="quiet">entries/s; \(Self.number(Double(batch))) events of \(payload) bytes in each durable commit; both scales logarithmic</text>
    \(grid)
    \(lines.indices.map(drawn).joined(separator: "\n"))
    \(labels)
      <text x="342" y="396" text-anchor="middle" class="quiet">streams</text>
    </svg>

    """
  }

  private static let title = "Appends by number of streams"

  /// The figures in words.
  private var description: String {
    lines.map { line in
      line.subject + ": "
        + line.points.map { "\(Self.number($0.rate.median)) with \(Self.number($0.streams)) streams" }
        .joined(separator: ", ")
    }.joined(separator: "; ") + "."
  }

  private var grid: String {
    let rates = up.ticks.map { tick in
      let y = Self.place(up.place(tick))
      return """
          <line x1="84" y1="\(y)" x2="600" y2="\(y)" class="grid"/>
          <text x="76" y="\(y)" dy="0.35em" text-anchor="end" class="quiet">\(Self.short(tick))</text>
        """
    }
    let counts = Set(lines.flatMap { $0.points.map(\.streams) }).sorted().map { streams in
      let x = Self.place(across.place(streams))
      return """
          <line x1="\(x)" y1="84" x2="\(x)" y2="348" class="grid"/>
          <text x="\(x)" y="370" text-anchor="middle" class="quiet">\(Self.number(streams))</text>
        """
    }
    return (rates + counts).joined(separator: "\n")
  }

  /// One subject's line, its points, and the quartiles around each.
  private func drawn(_ index: Int) -> String {
    let places = lines[index].points.map { point in
      (
        x: Self.place(across.place(point.streams)), y: Self.place(up.place(point.rate.median)),
        low: Self.place(up.place(point.rate.low)), high: Self.place(up.place(point.rate.high))
      )
    }
    // There are as many colours.
    let colour = index % 3
    let line = places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
    let points = places.map { place in
      """
        <line x1="\(place.x)" y1="\(place.low)" x2="\(place.x)" y2="\(place.high)" class="spread s\(colour)"/>
        <circle cx="\(place.x)" cy="\(place.y)" r="4" class="f\(colour)"/>
      """
    }
    return (["  <polyline points=\"\(line)\" class=\"line s\(colour)\"/>"] + points).joined(separator: "\n")
  }

  /// The subjects' names after the ends of their lines, with enough space between them to be legible.
  private var labels: String {
    var lowest = 0.0
    return lines.indices.compactMap { index in
      lines[index].points.last.map { (index: index, y: up.place($0.rate.median)) }
    }.sorted { $0.y < $1.y }.map { label in
      lowest = max(label.y, lowest + 17)
      return
        "  <text x=\"612\" y=\"\(Self.place(lowest))\" dy=\"0.35em\" font-weight=\"600\">\(lines[label.index].subject)</text>"
    }.joined(separator: "\n")
  }

  /// A tenth of a pixel is enough.
  private static func place(_ place: Double) -> Double { (place * 10).rounded() / 10 }

  private static func number(_ number: Double) -> String { Report.text(number) }

  /// A round number in few letters.
  private static func short(_ number: Double) -> String {
    if number >= 1_000_000 { return "\(Int((number / 1_000_000).rounded())) M" }
    if number >= 1_000 { return "\(Int((number / 1_000).rounded())) k" }
    return "\(Int(number.rounded()))"
  }
}
