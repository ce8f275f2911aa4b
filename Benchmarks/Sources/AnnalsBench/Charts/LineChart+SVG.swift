extension LineChart {
  /// The chart as a picture of its own, legible on light and on dark ground.
  var svg: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 420" role="img" aria-labelledby="title description" font-family="system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif" font-size="13">
      <title id="title">\(title)</title>
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
        .s3 { stroke: #1a7f37 } .f3 { fill: #1a7f37 }
        .s4 { stroke: #8250df } .f4 { fill: #8250df }
        .s5 { stroke: #bf3989 } .f5 { fill: #bf3989 }
        .s6 { stroke: #9a6700 } .f6 { fill: #9a6700 }
        .s7 { stroke: #0e8a8a } .f7 { fill: #0e8a8a }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 }
          .quiet { fill: #9198a1 }
          .grid { stroke: #3d444d }
          .s0 { stroke: #58a6ff } .f0 { fill: #58a6ff }
          .s1 { stroke: #9198a1 } .f1 { fill: #9198a1 }
          .s2 { stroke: #f0883e } .f2 { fill: #f0883e }
          .s3 { stroke: #3fb950 } .f3 { fill: #3fb950 }
          .s4 { stroke: #a371f7 } .f4 { fill: #a371f7 }
          .s5 { stroke: #f778ba } .f5 { fill: #f778ba }
          .s6 { stroke: #d29922 } .f6 { fill: #d29922 }
          .s7 { stroke: #39c5cf } .f7 { fill: #39c5cf }
        }
      </style>
      <text x="84" y="28" font-size="17" font-weight="600">\(title)</text>
      <text x="84" y="50" class="quiet">\(subtitle)</text>
    \(grid)
    \(lines.indices.map(drawn).joined(separator: "\n"))
    \(labels)
      <text x="342" y="396" text-anchor="middle" class="quiet">\(label)</text>
    </svg>

    """
  }

  /// The figures in words.
  private var description: String {
    lines.map { line in
      line.name + ": "
        + line.points.map { "\(Self.number($0.y.median)) with \(Self.number($0.x)) \(label)" }
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
    let counts = Set(lines.flatMap { $0.points.map(\.x) }).sorted().map { count in
      let x = Self.place(across.place(count))
      return """
          <line x1="\(x)" y1="84" x2="\(x)" y2="348" class="grid"/>
          <text x="\(x)" y="370" text-anchor="middle" class="quiet">\(Self.number(count))</text>
        """
    }
    return (rates + counts).joined(separator: "\n")
  }

  /// One line, its points, and the quartiles around each.
  private func drawn(_ index: Int) -> String {
    let places = lines[index].points.map { point in
      (
        x: Self.place(across.place(point.x)), y: Self.place(up.place(point.y.median)),
        low: Self.place(up.place(point.y.low)), high: Self.place(up.place(point.y.high))
      )
    }
    // There are as many colours.
    let colour = index % 8
    let line = places.map { "\($0.x),\($0.y)" }.joined(separator: " ")
    let points = places.map { place in
      """
        <line x1="\(place.x)" y1="\(place.low)" x2="\(place.x)" y2="\(place.high)" class="spread s\(colour)"/>
        <circle cx="\(place.x)" cy="\(place.y)" r="4" class="f\(colour)"/>
      """
    }
    return (["  <polyline points=\"\(line)\" class=\"line s\(colour)\"/>"] + points).joined(separator: "\n")
  }

  /// The lines' names after the ends of their lines, far enough from each other to be read.
  private var labels: String {
    var lowest = 0.0
    return lines.indices.compactMap { index in
      lines[index].points.last.map { (index: index, y: up.place($0.y.median)) }
    }.sorted { $0.y < $1.y }.map { label in
      lowest = max(label.y, lowest + 17)
      return
        "  <text x=\"612\" y=\"\(Self.place(lowest))\" dy=\"0.35em\" font-weight=\"600\">\(lines[label.index].name)</text>"
    }.joined(separator: "\n")
  }

  /// A tenth of a pixel is enough.
  private static func place(_ place: Double) -> Double { (place * 10).rounded() / 10 }

  private static func number(_ number: Double) -> String { Report.text(number) }

  /// A round number in few letters.
  private static func short(_ number: Double) -> String {
    if number >= 1_000_000 { return "\(Int((number / 1_000_000).rounded())) M" }
    if number >= 1_000 { return "\(Int((number / 1_000).rounded())) k" }
    return number < 1 ? "\(Self.number(number))" : "\(Int(number.rounded()))"
  }
}
